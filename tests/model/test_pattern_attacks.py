"""Patterns and names made to slow down a search: they are matched in linear time, or refused.

An engine that goes back and tries again would not finish these tests.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.cli import main
from nbprof.model.errors import FilterError, NbprofError
from nbprof.model.filters.patterns import match_names
from tests.support.traces import kernel, op, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LENGTH = 1_000_000

#: Patterns, and whether they match many letters "a" before a "!".
PATTERNS = {
    "/(a+)+$/": False,
    "/(a|a)*b$/": False,
    "/(a|aa)+$/": False,
    "/(.*a){20}$/": False,
    "/((a{1,100}){1,10})$/": False,
    "/(x+x+)+y/": False,
    "/^(([a-z])+.)+[A-Z]([a-z])+$/": False,
    "/(.*)*(.*)*(.*)*\\?/": False,
    "/a{0,1000}a{0,1000}!$/": True,
    "/" + "a?" * 3000 + "!$/": True,
    "/" + "(" * 900 + "a" + ")" * 900 + "/": True,
    "/" + "|".join(map(str, range(5000))) + "/": False,
}

#: Patterns that cannot be matched in linear time and space.
REFUSED = ["/a{1000}{1000}/", "/a{1001}/", "/(a)\\1/", "/(?=a)a/", "/(?<=a)b/", "/a++/"]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_long_names(pattern: str) -> None:
    names = ["a" * LENGTH + "!", None, "a" * 40 + "!"]
    wanted = PATTERNS[pattern]
    assert match_names(names, pattern).tolist() == [wanted, False, wanted]


@pytest.mark.parametrize("pattern", REFUSED)
def test_refused(pattern: str) -> None:
    with pytest.raises(FilterError, match="not a valid regular expression"):
        match_names(["a"], pattern)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    names = ["a" * 500 + sign for sign in ("!", "?", "")]
    events = [op(name, 10 * n, 5) for n, name in enumerate(names)]
    events += [kernel(name, 10 * n, 5) for n, name in enumerate(names)]
    return write(tmp_path / "slow.pt.trace.json", json.dumps({"traceEvents": events}))


#: Every condition and option of Python that takes a pattern.
USES: dict[str, Callable[[nbprof.Trace, str], object]] = {
    "name": lambda trace, text: trace.filter(name=text).operators(),
    "kernels": lambda trace, text: trace.filter(name=text).kernels(),
    "within": lambda trace, text: trace.filter(within=text).operators(),
    "slices": lambda trace, text: trace.filter(name=text).table("slices"),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("pattern", ["/(a+)+$/", "/(.*a){20}$/", "/a{1000}{1000}/"])
def test_places_in_python(path: Path, use: str, pattern: str) -> None:
    trace = nbprof.load(path, progress=False).trace()
    if pattern in REFUSED:
        with pytest.raises(NbprofError, match="regular expression"):
            USES[use](trace, pattern)
    else:
        USES[use](trace, pattern)


@pytest.mark.parametrize("pattern", ["/(a+)+$/", "/(.*a){20}$/"])
def test_places_in_commands(path: Path, pattern: str) -> None:
    assert main(["table", str(path), "kernels", "--name", pattern]) == 0
    assert main(["table", str(path), "operators", "--within", pattern]) == 0
    assert main(["table", str(path), "kernels", "--communication", pattern]) == 0
    assert main(["table", str(path), "steps", "--step-name", pattern]) == 2, "none matches"


@pytest.mark.parametrize("op_name", ["page", "find", "slices", "flame"])
def test_places_in_the_browser(path: Path, op_name: str) -> None:
    view = nbprof.Explorer(nbprof.load(path, progress=False), view="timeline")
    view.filter = {"name": "/(a+)+$/"}
    replies: list[dict[str, object]] = []
    view._router._send = lambda message, _: replies.append(message)
    state = {key: getattr(view, key) for key in ("run", "worker", "span", "filter", "step")}
    params = {
        "state": state,
        "table": "operators",
        "group_by": "thread" if op_name in {"find", "slices"} else "name",
        "offset": 0,
        "limit": 20,
        "search": "/(.*a){20}$/",
        "start_ns": 0,
        "end_ns": 100_000,
        "width": 300,
        "rows": [[0, 1]],
        "tracks": [],
        "from": None,
        "direction": 1,
    }
    view._router.handle({"v": 1, "id": 1, "op": op_name, "gen": 0, "params": params})
    assert replies[-1]["op"] == op_name
    if op_name != "flame":
        assert replies[-1]["ok"], replies[-1]
    view.close()
