"""Prints each failure the moment it happens, for runs that may be ended before their summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

#: Lines of a failure that are printed at once, the last ones; the summary has all of them.
LINES = 60


class FailuresAtOnce:
    """A plugin of pytest for the process that prints."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(trylast=True)  # after the letter of the test's outcome
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print how a test, or its set-up or clean-up, failed."""
        terminal: TerminalReporter | None = self._config.pluginmanager.get_plugin(
            "terminalreporter"
        )
        if not report.failed or terminal is None:
            return
        terminal.ensure_newline()
        terminal.write_line(f"FAILED at {report.when}: {report.nodeid}")
        for line in report.longreprtext.splitlines()[-LINES:]:
            terminal.write_line(line)
