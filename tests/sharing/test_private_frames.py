"""Frames are shortened where that is asked for: by an argument, by the option, for one page."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from tests.sharing.forms import saved_forms
from tests.sharing.planted import FRAME
from tests.sharing.unpacked import contents, found_in

if TYPE_CHECKING:
    from pathlib import Path

_PATH = f"/data/{FRAME}/project/train.py(7): main"


def trace_of(folder: Path) -> Path:
    """Write a trace with a frame, on a machine with a name."""
    place = {"ph": "X", "pid": 1, "tid": 1}
    events = [
        {**place, "cat": "python_function", "name": _PATH, "ts": 0, "dur": 100, "args": {}},
        {**place, "cat": "cpu_op", "name": "aten::mm", "ts": 10, "dur": 50, "args": {}},
    ]
    path = folder / "a.pt.trace.json"
    path.write_text(json.dumps({"schemaVersion": 1, "host_name": FRAME, "traceEvents": events}))
    return path


@pytest.mark.parametrize("how", ["argument", "option", "page"])
def test_frames_are_shortened_only_where_that_is_asked_for(how: str, tmp_path: Path) -> None:
    path = trace_of(tmp_path)
    if how == "page":
        view = nbprof.Explorer(path)
        found: Any = view.to_html(tmp_path / "page.html", private=True).read_text()
    else:
        with nbprof.options.having(private=how == "option"):
            view = nbprof.Explorer(path, private=True if how == "argument" else None)
        found = saved_forms(view, tmp_path)
        [stack] = view.trace.operators(group_by="name+stack")["call_stack"].to_pylist()
        assert stack == "train.py(7): main"
    assert any(b"train.py(7): main" in piece for piece in contents(found))
    assert not found_in(found, FRAME)


def test_a_private_page_shortens_what_the_user_chose_by_name(tmp_path: Path) -> None:
    view = nbprof.Explorer(trace_of(tmp_path), view="timeline", filter={"within": _PATH})
    view.notes = [{"start_ns": 0, "end_ns": 10, "text": "slow", "name": _PATH}]
    view.selection = [{"name": _PATH}]
    page = view.to_html(tmp_path / "page.html", private=True).read_text()
    assert not found_in(page, FRAME)
    assert found_in(page, "slow")
    assert FRAME in view.to_html(tmp_path / "page.html").read_text()
