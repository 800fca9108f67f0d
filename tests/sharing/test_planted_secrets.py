"""No shared form of any recording names a folder, a host, a user or another file of the machine.

Files are named by the last component of the path that the user passed and what is below it. Call
stacks stay as they were recorded, unless a view is private.
"""

from __future__ import annotations

import ast
import json
import pstats
import tempfile
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof
from nbprof.export.diffs.formats import FORMATS as REPORTS
from nbprof.export.diffs.formats import report_text
from nbprof.export.diffs.report import Report
from nbprof.model.errors import ExtensionWarning, TraceFormatError, WorkerWarning
from nbprof.testing import assert_no_slower
from nbprof.widgets.downloads.loading_code import loading_code
from nbprof.widgets.views.registry import VIEWS
from tests.diffs.runs import NET, changed, run
from tests.sharing import planted
from tests.sharing.forms import ask, of_comparison, of_view
from tests.sharing.planted import DATA, FRAME
from tests.sharing.unpacked import contents, found_in
from tests.sources.live.test_other_profilers import Profiler, Result
from tests.sources.memory_snapshots.test_memory_snapshot import history
from tests.widgets.conftest import step_events, write_trace

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

#: Part of the path of every file.
FOLDER: Final = "SECRETFOLDER"

#: Forms in which the frames of a recording are; a recorder that has none is not listed.
FRAMES: Final[dict[str, set[str]]] = {
    "kineto_steps": {"traits", "page", "part", "page file", "trace file", "tables"},
    "kineto_gpu": {"traits", "page", "part", "page file", "trace file", "tables"},
    "snapshot": {"traits", "page", "page file"},
    "python_profile": {"traits", "page", "page file", "summary", "tables"},
    "nsight": {"part", "trace file"},
    "ascend": {"traits", "page", "part", "page file", "trace file", "tables"},
}


def expect_none(found: Mapping[str, Any], *secrets: str) -> None:
    """Check that no form holds a secret, and that the search has looked inside."""
    for where, value in found.items():
        for secret in secrets:
            assert not found_in(value, secret), (where, secret, found_in(value, secret))
    for where in {"traits", "page", "page file"} & found.keys():  # what is saved is packed
        assert any(b'["Workers"' in piece for piece in contents(found[where])), where


def logs_of(name: str, folder: Path) -> Path:
    """Write a planted recording below a secret folder, beside files that cannot be read."""
    logs = planted.write(name, folder / FOLDER / "logs")
    (logs / "notes.json").write_text("{}")
    (logs / "zz.pt.trace.json").write_text('{"traceEvents": [')
    return logs


@pytest.mark.parametrize("name", planted.FORMATS)
def test_a_recording_tells_no_more_than_views_show(name: str, tmp_path: Path) -> None:
    profile = nbprof.load(logs_of(name, tmp_path), progress=False)
    [broken] = [one for one in profile if one.worker == "zz"]
    with pytest.raises(TraceFormatError, match="cut off"):
        broken.read()
    found = of_view(nbprof.Explorer(profile), tmp_path)
    expect_none(found, FOLDER, DATA)
    there = {where for where, value in found.items() if found_in(value, FRAME)}
    assert there >= FRAMES.get(name, set()), "frames are recorded, and stay where they are shown"


@pytest.mark.parametrize("name", FRAMES)
def test_private_views_shorten_frames_in_every_form(name: str, tmp_path: Path) -> None:
    with nbprof.options.having(private=True):
        view = nbprof.Explorer(logs_of(name, tmp_path))
    view.active = "timeline"
    view.notes = [{"start_ns": 0, "end_ns": 10, "text": "slow", "name": "net.py(3): f"}]
    found = of_view(view, tmp_path)
    expect_none(found, FOLDER, DATA, FRAME)
    assert found_in(found["page"], "net.py(3): f")


@pytest.mark.parametrize("how", ["sources", "baseline", "runs"])
def test_neither_side_of_a_comparison_is_placed(how: str, tmp_path: Path) -> None:
    logs = logs_of("kineto_steps", tmp_path)
    other = planted.write("kineto_steps", tmp_path / f"{FOLDER}2" / "before")
    if how == "baseline":
        found = of_view(nbprof.Explorer(logs, baseline=other, view="timeline"), tmp_path)
    elif how == "sources":
        found = of_comparison(nbprof.diff(other, logs), tmp_path)
    else:
        write_trace(logs / "second" / "bad.1700000000001.pt.trace.json")
        found = of_comparison(nbprof.load(logs).diff("job", "second"), tmp_path)
    expect_none(found, FOLDER, DATA)


def test_reports_and_failed_assertions_name_no_folder(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    before = run(folder / "before" / "w.1700000000001.pt.trace.json")
    slower = changed(NET, 0, host=300.0)
    after = run(folder / "after" / "w.1700000000001.pt.trace.json", slower)
    diff = nbprof.diff(before, after)
    report = Report.of(diff, ["category", "operator"], [], limit=5)
    found = {format_: report_text(report, format_) for format_ in REPORTS}
    with pytest.raises(AssertionError) as failure:
        assert_no_slower(folder / "before", folder / "after", "step_us > +5%")
    (folder / "after" / "x.pt.trace.json").write_text('{"traceEvents": [')
    with pytest.raises(TraceFormatError, match=r"after/x\.pt\.trace\.json") as unreadable:
        assert_no_slower(folder / "before", folder / "after", "step_us > +90%")
    found |= {"failure": str(failure.value), "unreadable": str(unreadable.value)}
    expect_none(found, FOLDER)


def live(kind: str) -> Any:
    """Return an object of a profiler that holds secrets."""
    frame = (f"/data/{FRAME}/train.py", 7, "main")
    if kind == "pstats":
        stats = pstats.Stats()
        stats.stats = {frame: (1, 1, 0.5, 2.0, {})}  # type: ignore[attr-defined]
        return stats
    if kind == "snapshot":
        given = history()
        for block in given["segments"][0]["blocks"]:
            block["frames"] = [{"filename": frame[0], "line": 7, "name": "main"}]
        return {**given, "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": DATA}, "host": DATA}
    return Profiler(Result())


@pytest.mark.parametrize("kind", ["pstats", "snapshot", "paddle"])
def test_a_profiler_in_memory_is_named_by_its_class(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / FOLDER).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / FOLDER))
    monkeypatch.setenv("HOSTNAME", DATA)
    found = of_view(nbprof.Explorer(live(kind)), tmp_path)
    expect_none(found, FOLDER, DATA)
    if kind != "paddle":
        assert found_in(found["page"], FRAME)
        with nbprof.options.having(private=True):
            found = of_view(nbprof.Explorer(live(kind)), tmp_path)
        expect_none(found, FOLDER, DATA, FRAME)


def test_errors_that_are_saved_name_no_folder(tmp_path: Path) -> None:
    """A worker, a baseline and a trace that cannot be read, on screen and beside others."""
    logs, other = tmp_path / FOLDER / "logs", tmp_path / f"{FOLDER}2" / "before"
    events = [event for number in (1, 2) for event in step_events(number, gpu=True, rich=True)]
    cut = json.dumps({"traceEvents": events})[:-1]
    write_trace(logs / "good.1700000000001.pt.trace.json")
    for at, place in enumerate((logs, other)):
        place.mkdir(parents=True, exist_ok=True)
        (place / f"bad.170000000000{at + 1}.pt.trace.json").write_text('{"traceEvents": [1, 2')
    (logs / "half.1700000000001.pt.trace.json").write_text(cut)
    write_trace(other / "good.1700000000001.pt.trace.json")
    view = nbprof.Explorer(
        logs, worker="good", baseline=other, view="timeline", timeline_workers=["bad", "half"]
    )
    found = of_view(view, tmp_path)
    alone = nbprof.Explorer(other / "bad.1700000000002.pt.trace.json")
    assert "cut off" in str(ask(alone, "page", table="operators"))
    found |= {"alone": [alone._fallback()._repr_mimebundle_(), repr(alone), alone.get_state()]}
    found |= {"distributed": ask(view, "distributed")[0], "layout": ask(view, "timeline")[0]}
    expect_none(found, FOLDER)


def test_a_view_of_an_extension_that_fails_tells_no_path(tmp_path: Path) -> None:
    logs = logs_of("kineto_steps", tmp_path)

    def failing(*_: Any) -> Any:
        message = f"cannot open {logs}/more.json"
        raise OSError(message)

    spec = nbprof.ViewSpec(name="theirs", title="Theirs", tables=("kernels",), cards=failing)
    nbprof.register(spec)
    try:
        with pytest.warns(ExtensionWarning, match="cannot open"):
            found = of_view(nbprof.Explorer(logs, view="theirs"), tmp_path)
    finally:
        VIEWS.unregister("theirs")
    expect_none(found, FOLDER)


def test_warnings_of_workers_name_no_folder(tmp_path: Path) -> None:
    logs = tmp_path / FOLDER / "logs"
    for worker in ("a", "b"):
        write_trace(logs / f"{worker}.1700000000001.pt.trace.json")
    (logs / "c.1700000000001.pt.trace.json").write_text('{"traceEvents": [1, 2')
    with pytest.warns(WorkerWarning) as said:
        nbprof.load(logs).device_summary()
    expect_none({"said": [str(one.message) for one in said]}, FOLDER)


@pytest.mark.parametrize("folder", [f"it's {FOLDER}", f'"{FOLDER}"', f"\\ {FOLDER} {{x}}"])
def test_saved_code_opens_the_profile_without_its_folder(folder: str, tmp_path: Path) -> None:
    """The code of a live view names the whole path, since it has to run; that is not saved."""
    logs = tmp_path / folder / "logs"
    write_trace(logs / "a.1700000000001.pt.trace.json")
    for source in (logs, [logs / "a.1700000000001.pt.trace.json"], {0: str(logs)}):
        view = nbprof.Explorer(source)
        assert FOLDER in loading_code(view.profile)["load"]
        view.trace.read()
        view._saver.save()
        page = view.to_html(tmp_path / "page.html").read_text()
        expect_none({"state": view.get_state(), "page": page}, FOLDER)
        saved = [piece for piece in contents(view.snapshot) if b"nbprof.load(" in piece]
        start = saved[0].index(b"nbprof.load(")
        text = json.loads(b'"' + saved[0][start:].split(b'",', 1)[0] + b'"')
        assert ast.parse(text)
