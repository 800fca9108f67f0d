"""Every pattern of the package takes time in proportion to the text, on its own words repeated."""

from __future__ import annotations

import ast
import importlib
import itertools
import pkgutil
import re
import sys
import time
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import nbprof
from tests.house.test_house import SOURCES
from tests.support.syntax import tree_of

if sys.version_info >= (3, 11):
    from re import _parser as parser
else:
    import sre_parse as parser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

#: Characters of a text, and how often longer the long one is.
SHORT, TIMES = 3000, 6

#: Seconds that no pattern that takes time in proportion needs for the long text; most need a
#: hundredth. Only those that need more are looked at closely.
QUICK: Final = 0.004

#: How much longer the long text may take: between `TIMES` and its square, which is 36.
MOST: Final = 16

#: Seconds after which a text is timed no more, and one that seems slow: others on the machine can
#: only make it slower, so the least of many turns is what the pattern itself takes.
ENOUGH, LONG_ENOUGH = 0.2, 3.0

#: What is repeated at most, and a character that no pattern ends with.
LONGEST, ODD = 24, "\x01"

#: Patterns whose texts are cut to a length that is enough, and where.
CUT: Final = {
    "nbprof.model.names.communication_names.": "`NameTest`",
    "nbprof.analysis.kernels.matrix_dtypes.": "`ends_of`",
    "nbprof.export.page._EXPORT": "the package's own scripts",
    "nbprof.sources.kineto.merged_ranks._LABELS": "ids of processes have 200 characters",
    "nbprof.sources.paddle.probing._EVENT": "it reaches over 4,000 bytes of a file's head",
    "nbprof.sources.paddle.recorder._NAME": "names of files have 255 bytes",
}

#: Stands for a class of characters.
OF_CATEGORY: Final = {
    "CATEGORY_DIGIT": "1",
    "CATEGORY_SPACE": " ",
    "CATEGORY_WORD": "a",
    "CATEGORY_NOT_DIGIT": "a",
    "CATEGORY_NOT_SPACE": "a",
    "CATEGORY_NOT_WORD": "-",
}


def modules() -> Iterator[Any]:
    """Import every module of the package; those of hosts that are not installed are left out."""
    for one in pkgutil.walk_packages(nbprof.__path__, "nbprof."):
        if not one.name.endswith("__main__"):
            yield importlib.import_module(one.name)


@cache
def patterns() -> dict[re.Pattern[Any], str]:
    """Return the patterns that the modules hold at any depth, by where, with those in functions."""
    found: dict[re.Pattern[Any], str] = {}
    seen: set[int] = set()

    def look(value: Any, place: str, deep: int) -> None:
        if isinstance(value, re.Pattern):
            found.setdefault(value, place)
        elif deep and id(value) not in seen and type(value).__module__ != "builtins.module":
            seen.add(id(value))
            for name, part in _parts(value):
                look(part, f"{place}{name}", deep - 1)

    for module in list(modules()):
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) in (None, "re", module.__name__):
                look(value, f"{module.__name__}.{name}", 6)
    for path in SOURCES:
        for call in _calls(path):
            text = call.args[0].value  # type: ignore[attr-defined]
            found.setdefault(re.compile(text), f"{path.name}: {call.func.attr}")  # type: ignore[attr-defined]
    return found


def _calls(path: Any) -> Iterator[ast.Call]:
    """Yield the calls of functions of `re` with a pattern that stands there."""
    for node in ast.walk(tree_of(path)):
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args
        if is_call and isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            first = node.args[0]
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, (str, bytes))
            if is_text and node.func.attr not in ("compile", "escape"):
                yield node


@cache
def _methods() -> dict[str, set[str]]:
    """Return by which methods patterns are used, by the names that they have in the sources."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                found.setdefault(f"{path.stem}.{node.value.id}", set()).add(node.attr)
    return found


def uses_of(pattern: re.Pattern[Any], place: str) -> list[Callable[[Any], Any]]:
    """Return how a pattern is used: at the beginning, for all of a text, or anywhere."""
    methods = _methods().get(".".join(place.rsplit(".", 2)[-2:]), set()) | {
        place.rpartition(" ")[2]
    }
    one_place = methods & {"match", "fullmatch"}
    anywhere = methods & {"search", "sub", "subn", "split", "findall", "finditer"}
    if anywhere or not one_place:
        return [lambda text: sum(1 for _ in pattern.finditer(text))]
    return [getattr(pattern, name) for name in sorted(one_place)]


def _parts(value: Any) -> Iterable[tuple[str, Any]]:
    """Return what a value holds: items, attributes, closures, defaults."""
    if isinstance(value, dict):
        return [("", part) for pair in value.items() for part in pair]
    if isinstance(value, (list, tuple, set, frozenset)):
        return [("", part) for part in value]
    owner = getattr(value, "__module__", None) or type(value).__module__
    if not str(owner).startswith("nbprof"):
        return []
    inner = [("", part) for part in (getattr(value, "__defaults__", None) or ())]
    for cell in getattr(value, "__closure__", None) or ():
        with suppress(ValueError):  # not yet set
            inner.append(("", cell.cell_contents))
    names = getattr(type(value), "__slots__", ()) if not hasattr(value, "__dict__") else ()
    inner += [(f".{name}", getattr(value, name)) for name in names if hasattr(value, name)]
    inner += [(f".{name}", part) for name, part in dict(getattr(value, "__dict__", {})).items()]
    return inner


def pieces_of(pattern: str, flags: int) -> list[str]:
    """Return short texts that the parts of a pattern match, in order."""
    found: list[str] = []

    def walk(nodes: Any) -> str:
        text = ""
        for kind, value in nodes:
            one = _text(str(kind), value, walk)
            text += one
            found.extend((one, text) if one else ())
        return text

    whole = walk(parser.parse(pattern, flags))
    found.append(whole)
    words, run = [], ""
    for one in found:
        if len(one) == 1:
            run += one
        elif run:
            words.append(run)
            run = ""
    return [*dict.fromkeys(one[:LONGEST] for one in (*found, *words, run) if one)]


def _text(kind: str, value: Any, walk: Callable[[Any], str]) -> str:
    """Return what a part of a pattern matches; of alternatives, the first."""
    if kind == "LITERAL":
        found = chr(value)
    elif kind in ("NOT_LITERAL", "ANY"):
        found = "a"
    elif kind == "IN":
        found = _of_set(value)
    elif kind in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        low, high, inner = value
        found = walk(inner) * max(low, min(high, 1))
    elif kind == "BRANCH":
        found = [walk(one) for one in value[1]][0]  # noqa: RUF015 - all are walked
    elif kind in ("SUBPATTERN", "ASSERT", "ATOMIC_GROUP"):
        found = walk(value if kind == "ATOMIC_GROUP" else value[-1])
    else:
        found = ""
    return found


def _of_set(items: Any) -> str:
    """Return a character of a set; of one that excludes some, a letter or a blank."""
    first = str(items[0][0])
    if first == "NEGATE":
        return "a"
    for kind, value in items:
        if str(kind) == "LITERAL":
            return chr(value)
        if str(kind) == "RANGE":
            return chr(value[0])
        if str(kind) == "CATEGORY":
            return OF_CATEGORY.get(str(value), "a")
    return ""


def units_of(pattern: str, flags: int) -> Iterator[tuple[str, str]]:
    """Yield beginnings of texts, and words of a pattern that are repeated after them."""
    pieces = pieces_of(pattern, flags)[:80]
    for one in pieces:
        yield "", one
        yield pieces[-1][:40], one
        yield "", f"{one} "
    for one, other in itertools.pairwise(pieces):
        yield "", one + other


def seconds(use: Callable[[Any], Any], text: Any, turns: int = 1, enough: float = ENOUGH) -> float:
    """Return the least processor time that a use of a text takes; others may use the machine."""
    least, began = float("inf"), time.thread_time()
    for _ in range(turns):
        before = time.thread_time()
        use(text)
        now = time.thread_time()
        least = min(least, now - before)
        if now - began > enough:
            break
    return least


def slow_text(pattern: re.Pattern[Any], use: Callable[[Any], Any]) -> str | None:
    """Return the beginning of a text on which a pattern takes more than proportional time."""
    source = pattern.pattern
    is_text = isinstance(source, str)
    shown = source if is_text else source.decode("latin-1")
    for start, unit in units_of(shown, pattern.flags & ~re.UNICODE):
        short, long = (
            text if is_text else text.encode("latin-1", "replace")
            for size in (SHORT, SHORT * TIMES)
            for text in [start + unit * (size // len(unit)) + ODD]
        )
        if seconds(use, short) * TIMES * TIMES < QUICK:
            continue
        needed = seconds(use, long, 3)
        if needed <= QUICK:
            continue
        most = MOST * seconds(use, short, 7)
        if needed > most and seconds(use, long, 300, LONG_ENOUGH) > most:
            return f"{start}{unit * 3}..."
    return None


def test_time_grows_with_the_text_alone() -> None:
    slow = {
        f"{place}: {pattern.pattern!r}": text
        for pattern, place in patterns().items()
        if not any(place.startswith(one) for one in CUT)
        for use in uses_of(pattern, place)
        if (text := slow_text(pattern, use)) is not None
    }
    assert slow == {}


def test_every_exception_is_there() -> None:
    places = patterns().values()
    assert [one for one in CUT if not any(place.startswith(one) for place in places)] == []


def test_the_rule_sees_slow_patterns() -> None:
    for text in (r"\d+$", r"(?:one|all_?reduce\w*_shot)"):
        pattern = re.compile(text)
        assert slow_text(pattern, pattern.findall) is not None, text
    number = re.compile(r"(\d+\.?\d*|\.\d+)x")
    assert slow_text(number, number.fullmatch) is not None
    quick = re.compile(r"_(\d{1,9})\b")
    assert slow_text(quick, quick.findall) is None


def test_patterns_are_found_wherever_they_are() -> None:
    places = patterns().values()
    assert any(".ENTRIES" in place for place in places), "in tuples in a tuple"
    assert any(place.startswith("naming.py") for place in places), "in functions"
    assert len(places) > 200
