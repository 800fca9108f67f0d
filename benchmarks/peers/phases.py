"""`Phases`: what every worker shares: its arguments, the seconds of its phases, and their output.

It needs only the standard library, since workers run in environments of their own.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


class Phases:
    """The time that passes from phase to phase, from its creation on.

    Parameters
    ----------
    description : str or None
        Docstring of the worker.
    options : mapping of str to dict, optional
        Further options of the worker, as for `argparse`.
    """

    def __init__(
        self, description: str | None, options: dict[str, dict[str, Any]] | None = None
    ) -> None:
        parser = argparse.ArgumentParser(description=(description or "").partition("\n")[0])
        parser.add_argument("path", help="the trace")
        parser.add_argument("--tables", help="a file to write what is compared to, as JSON")
        for name, option in (options or {}).items():
            parser.add_argument(name, **option)
        self.args = parser.parse_args()
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        """End a phase."""
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now

    def finish(self, figures: Callable[[], Any], found: dict[str, Any]) -> None:
        """Print the seconds, and what else was found, as JSON; write the figures if asked to."""
        total = sum(value for name, value in self.seconds.items() if name != "import")
        if self.args.tables:
            Path(self.args.tables).write_text(json.dumps(figures()))
        print(json.dumps({"seconds": self.seconds, "total_s": total, **found}))


def versions(package: str) -> dict[str, str]:
    """Return the versions of a peer, of pandas and of Python."""
    python = sys.version.split()[0]
    return {"version": version(package), "pandas": version("pandas"), "python": python}
