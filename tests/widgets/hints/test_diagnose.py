"""The findings of `nbprof.diagnose` for different replies of the page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof.widgets.diagnosis import diagnose, environment, probe, report
from nbprof.widgets.diagnosis.probe import Handshake, Probe

if TYPE_CHECKING:
    from pathlib import Path

POLICY = "script-src 'self' blob:"


def words(text: str) -> str:
    return " ".join(text.split())


def said(**answers: Any) -> str:
    return words(report.page(Handshake(**answers), late=True))


def test_each_answer_that_is_missing_has_its_own_cause() -> None:
    assert "pip install ipywidgets anywidget there" in said()
    assert "No page is connected" in said()
    assert "pip install 'anywidget==" in said(widgets=True)
    assert POLICY in said(widgets=True, anywidget=True)
    drawn = {"widgets": True, "anywidget": True, "modules": True, "agent": "Some browser"}
    assert said(**drawn, styles=True) == "Page draws views; Some browser"
    assert "style-src 'unsafe-inline'" in said(**drawn)
    early = report.page(Handshake(), late=False)
    assert words(early) == "Page asked; this line changes when it answers"


def test_lines_are_no_wider_than_a_cell() -> None:
    text = report.facts() + report.page(Handshake(), late=True)
    assert max(map(len, text.splitlines())) <= 100


def test_outside_a_notebook_it_prints(capsys: pytest.CaptureFixture[str], page: Any) -> None:
    nbprof.diagnose(page.view)
    printed = words(capsys.readouterr().out)
    assert f"nbprof {nbprof.__version__}" in printed
    assert "its page has sent no request" in printed
    assert "outside a notebook" in printed
    page.result("hello")
    page.error("page", state={"run": 7})
    nbprof.diagnose(page.view)
    printed = words(capsys.readouterr().out)
    assert "sent 2 requests" in printed
    assert "There is no such run" in printed


def test_the_page_answers_step_by_step() -> None:
    heard: list[Handshake] = []
    asked = Probe(lambda: heard.append(asked.handshake))
    target, drawn_by = asked._parts[3:5]
    target.comm.receive({"method": "update", "state": {"value": 1}, "buffer_paths": []})
    assert heard[-1] == Handshake(widgets=True)
    drawn_by.comm.receive({"method": "update", "state": {"value": "anywidget"}, "buffer_paths": []})
    assert heard[-1] == Handshake(widgets=True, anywidget=True)
    echo = asked._echo.comm
    echo.receive({"method": "custom", "content": {"agent": "Some browser", "styled": True}})
    assert heard[-1].modules
    assert heard[-1].styles
    assert not heard[-1].complete
    assert echo.sent[-1][0] == {"method": "custom", "content": {"ping": 1}}
    echo.receive({"method": "custom", "content": {"pong": 1}})
    assert heard[-1].complete
    assert 0 <= heard[-1].round_trip_ms < 60_000
    asked.close()
    assert echo.closed


def test_a_page_without_anywidget_says_so() -> None:
    asked = Probe(lambda: None)
    drawn_by = asked._parts[4]
    error = {"value": "@jupyter-widgets/base"}  # the model that ipywidgets makes in place of it
    drawn_by.comm.receive({"method": "update", "state": error, "buffer_paths": []})
    assert asked.handshake == Handshake(widgets=True, anywidget=False)
    asked.close()


class Handle:
    """Stands for an output that is updated in place."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def update(self, bundle: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(bundle["text/plain"])


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    """Make it look like a notebook; gives the output of the cell."""
    shown = Handle()

    def display(bundle: dict[str, str], **_: Any) -> Handle:
        shown.update(bundle, raw=True)
        return shown

    monkeypatch.setattr("IPython.display.display", display)
    monkeypatch.setattr(diagnose, "in_kernel", lambda: True)
    return shown


def test_the_output_changes_with_the_answers(handle: Handle) -> None:
    nbprof.diagnose()
    question = diagnose._asked
    assert question is not None
    assert "asked; this line changes" in handle.shown[-1]
    question._on_timeout()
    assert "no answer so far" in handle.shown[-1]
    echo = question._probe._echo.comm
    echo.receive({"method": "custom", "content": {"agent": "Late browser", "styled": True}})
    echo.receive({"method": "custom", "content": {"pong": 1}})
    assert "draws views, round trip" in handle.shown[-1]
    assert "Late browser" in handle.shown[-1]
    assert echo.closed
    nbprof.diagnose()
    assert diagnose._asked is not question
    diagnose._asked.close()


def test_the_server_is_looked_at_where_linux_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prefix = tmp_path / "server"
    program = prefix / "bin" / "python"
    program.parent.mkdir(parents=True)
    program.touch()
    extension = prefix / "share" / "jupyter" / "labextensions" / "anywidget"
    extension.mkdir(parents=True)
    (extension / "package.json").write_text(json.dumps({"version": "0.9.1"}))
    assert environment._prefix([str(program), "-m", "jupyterhub.singleuser"]) == prefix
    assert environment._prefix(["python", "-m", "jupyterlab"]) is None
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "nothing"))
    found = environment.Server(prefix, environment._extensions(prefix))
    assert found.extensions.get("anywidget") == "0.9.1"
    monkeypatch.setattr(environment, "server", lambda: environment.Server(prefix, {}))
    told = words(report.facts())
    assert f"pip install anywidget jupyterlab_widgets in {prefix}" in told


def test_the_script_of_the_probe_is_small_and_asks_nobody() -> None:
    assert len(probe._MODULE) < 1000
    assert "http" not in probe._MODULE
    assert "fetch" not in probe._MODULE
