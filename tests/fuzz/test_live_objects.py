"""Profiler objects with strange content, of every class that a recorder claims, harm nobody."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest

import nbprof
from nbprof.model.errors import NbprofError
from nbprof.sources.recorders import RECORDERS
from nbprof.widgets.views.registry import VIEWS
from tests.fuzz.checks import CONTROLS
from tests.fuzz.contents import Pickle
from tests.fuzz.mutation.values import NUMBERS, TEXTS, spoil_all, spoil_value
from tests.fuzz.seeds import seed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Every class that a recorder claims, but dictionaries.
CLASSES = sorted(
    {name for spec in RECORDERS.specs() for name in spec.live if not name.startswith("builtins.")}
)

#: A text that a terminal obeys, in a message of 100,000 characters.
SAID = "\x1b]0;owned\x07" * 10_000


class BadError(Exception):
    """An error that cannot even be shown."""

    def __str__(self) -> str:
        raise RuntimeError(SAID)


def _raising(error: BaseException) -> Callable[..., Any]:
    def get(_self: Any, _name: str) -> Any:
        raise error

    return get


def _writing(content: bytes | None) -> Callable[..., Any]:
    """Return an attribute that is a function, which writes to any path that it is given."""

    def get(_self: Any, _name: str) -> Any:
        def call(*given: Any, **_named: Any) -> Any:
            for one in given:
                if isinstance(one, (str, Path)) and content is not None:
                    Path(one).write_bytes(content)
            return None

        return call

    return get


#: What every attribute of an object is.
ATTRIBUTES: dict[str, Callable[..., Any]] = {
    "raises": _raising(RuntimeError(SAID)),
    "is missing": _raising(AttributeError("no")),
    "recurses": _raising(RecursionError()),
    "has no room": _raising(MemoryError()),
    "raises what cannot be shown": _raising(BadError()),
    "writes nothing": _writing(None),
    "writes no bytes": _writing(b""),
    "writes noise": _writing(b"\0\xff" * 999),
    "writes half a trace": _writing(b'{"traceEvents": [{"ph": "X", "name": "a"'),
    "writes a bomb": _writing(b"[" * 100_000),
    "is None": lambda _self, _name: None,
    "is itself": lambda self, _name: self,
    "is a number": lambda _self, _name: 10**30,
    "is a text": lambda _self, _name: SAID,
    "is a dictionary": lambda _self, _name: {("a", 1, "b"): (1, 2, float("nan"), {}, [])},
    "is deep": lambda _self, _name: _deep(100_000),
    "is anything": lambda _self, _name: mock.MagicMock(),
}


def _deep(depth: int) -> Any:
    value: Any = ()
    for _ in range(depth):
        value = (value,)
    return value


def made(name: str, get: Callable[..., Any]) -> Any:
    """Return an object of a class of this name."""
    module, _, kind = name.rpartition(".")
    return type(kind, (), {"__module__": module, "__qualname__": kind, "__getattr__": get})()


@pytest.fixture(autouse=True)
def _clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hold that no file stays."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("name", CLASSES)
def test_an_object_of_which_nothing_is_as_it_should_be(name: str, attribute: str) -> None:
    given = made(name, ATTRIBUTES[attribute])
    try:
        profile = nbprof.load(given, progress=False)
        profile.trace().slices()
    except NbprofError as error:
        said = str(error)
        assert len(said) < 2000
        assert CONTROLS.search(said) is None
    else:
        assert len(profile) >= 1


@pytest.mark.parametrize("number", range(20))
def test_spoiled_memory_snapshots(number: int) -> None:
    chance = Random(f"live/{number}")
    (content,) = seed("snapshot").values()
    assert isinstance(content, Pickle)
    given = Pickle(content.value).value
    for _ in range(chance.choice((1, 3))):
        import copy

        given = chance.choice((spoil_all, spoil_value))(copy.deepcopy(given), chance)
    if not isinstance(given, dict):
        return
    try:
        profile = nbprof.load(given, progress=False)
        profile.trace().memory_blocks().validate(full=True)
        view = nbprof.Explorer(profile, view=chance.choice(VIEWS.names()))
        view.static()
        view.close()
    except NbprofError:
        return


@pytest.mark.parametrize("number", range(20))
def test_spoiled_statistics_of_python(number: int) -> None:
    import pstats

    chance = Random(f"statistics/{number}")
    key = ("a.py", 1, "main")
    row: list[Any] = [1, 2, 0.5, 1.5, {key: (1, 2, 0.5, 1.5)}]
    strange = (*NUMBERS, *TEXTS, None, (), {}, (1,), {"a": 1}, b"\xff", _deep(300), 1j)
    row[chance.randrange(len(row))] = chance.choice(strange)
    given = pstats.Stats()
    keys = (key, ("~", 0, "<built-in>"), (chance.choice(TEXTS), chance.choice(NUMBERS), ""))
    given.stats = {one: tuple(row) for one in keys}  # type: ignore[attr-defined]
    if chance.random() < 0.3:
        given.stats[chance.choice(TEXTS)] = chance.choice(strange)  # type: ignore[attr-defined]
    try:
        trace = nbprof.load(given, progress=False).trace()
        for name in ("functions", "function_callers", "icicle"):
            trace.table(name).validate(full=True)
    except NbprofError:
        return
