"""Reads and writes the list of known differences, and compares it with those observed."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tests.oracle.figures import Figure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = Path(__file__).with_name("differences.toml")
#: Stands for a row or value that is not there, which TOML cannot say.
ABSENT = "absent"
HEAD = """\
# Where our figures differ from those of another tool, and why. An entry that is missing here, or
# that no longer differs, fails a test. Written by `python -m tests.oracle.list_differences`, which
# knows the reasons; the paragraphs are those of the reference notes on the tools.
# Rows are [key, ours, theirs].
"""


class Place(NamedTuple):
    """What one entry of the list is about."""

    tool: str
    trace: str
    table: str
    column: str
    key: str


class Known(NamedTuple):
    """What the list says about a place."""

    ours: Any
    theirs: Any
    reason: str


def load() -> dict[Place, Known]:
    """Read the list."""
    content = tomllib.loads(FILE.read_text(encoding="utf-8"))
    known = {}
    for group in content.get("difference", []):
        if group["reason"] not in content["reasons"]:
            message = f"{FILE.name} names a reason that it does not give: {group['reason']}"
            raise ValueError(message)
        for key, ours, theirs in group["rows"]:
            place = Place(group["tool"], group["trace"], group["table"], group["column"], key)
            known[place] = Known(ours, theirs, group["reason"])
    return known


def place_of(tool: str, trace: str, figure: Figure) -> Place:
    """Return where a figure stands."""
    return Place(tool, trace, figure.table, figure.column, figure.key)


def plain(value: Any) -> Any:
    """Return a value as the list holds it."""
    if value is None:
        return ABSENT
    if isinstance(value, float):
        return float(f"{value:.9g}")
    return value


def complaints(tool: str, trace: str, figures: Iterable[Figure]) -> list[str]:
    """Return what is wrong: differences that are not listed, and entries that do not differ."""
    known = {p: k for p, k in load().items() if (p.tool, p.trace) == (tool, trace)}
    found = []
    for figure in figures:
        place = place_of(tool, trace, figure)
        entry = known.pop(place, None) if not figure.equal else None
        where = f"{figure.table} | {figure.key} | {figure.column}"
        said = f"ours {plain(figure.ours)}, theirs {plain(figure.theirs)}"
        if not figure.equal and entry is None:
            found.append(f"not listed: {where}: {said}")
        elif entry is not None and not _same(entry, figure):
            found.append(f"listed as {entry.ours}, {entry.theirs}: {where}: {said}")
    found += [f"listed and no difference: {p.table} | {p.key} | {p.column}" for p in known]
    return found


def _same(entry: Known, figure: Figure) -> bool:
    pairs = ((entry.ours, plain(figure.ours)), (entry.theirs, plain(figure.theirs)))
    return all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9)
        if isinstance(a, (int, float)) and isinstance(b, (int, float))
        else a == b
        for a, b in pairs
    )


def write(reasons: Mapping[str, str], found: Iterable[tuple[Place, Known]]) -> None:
    """Write the list, one group per table, column and reason of a trace."""
    groups: dict[tuple[str, ...], list[tuple[str, Any, Any]]] = defaultdict(list)
    used = set()
    for place, known in found:
        group = (place.tool, place.trace, place.table, place.column, known.reason)
        groups[group].append((place.key, known.ours, known.theirs))
        used.add(known.reason)
    lines = [HEAD, "[reasons]"]
    lines += [f"{_toml(name)} = {_toml(text)}" for name, text in reasons.items() if name in used]
    for group, rows in sorted(groups.items()):
        lines += ["", "[[difference]]"]
        names = ("tool", "trace", "table", "column", "reason")
        lines += [f"{name} = {_toml(value)}" for name, value in zip(names, group, strict=True)]
        lines += ["rows = ["]
        lines += [f"  [{', '.join(map(_toml, row))}]," for row in rows]
        lines += ["]"]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'
