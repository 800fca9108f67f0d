"""`frame_tree`: merges the call stacks of one operator into a tree with figures for each branch."""

from __future__ import annotations

import math
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.analysis.grouping import NS_PER_US
from nbprof.model.building import arrow_array
from nbprof.model.contract.columns import count, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Columns of a tree besides the figures of the stacks.
_DEPTH: Final = count("depth", "Number of branches above this one.")
_FRAMES: Final = text("frames", "Frames of the branch, joined by ;, the outermost first.")

_Path = tuple[int, ...]


def frame_tree(stacks: pa.Table, sort: tuple[str, str] | None) -> pa.Table:
    """Merge stacks into a tree, from the outermost frame to the innermost.

    A row of the result is a branch: a chain of frames that the same stacks share. A branch splits
    at the first frame that differs. A stack that ends where others continue gets a branch without
    frames. The figures of branches with the same parent sum to those of the parent, and the figures
    of the outermost branches sum to those of all stacks.

    Parameters
    ----------
    stacks : pyarrow.Table
        One row for each stack, with ``call_stack``, the innermost frame first.
    sort : (str, str) or None
        Column and direction that sort branches with the same parent; by default, they keep the
        order of the stacks.

    Returns
    -------
    pyarrow.Table
        Each branch below its parent, with ``depth``, ``frames`` and the figures of `stacks`.
        Counts, times, sizes and shares of the total are summed; of maxima the largest is taken, of
        minima the smallest, and mean times are those of all calls. All other figures are null if a
        branch stands for several stacks.
    """
    codes: dict[str, int] = {}
    paths = [_path(stack, codes) for stack in stacks["call_stack"].to_pylist()]
    order = sorted(range(len(paths)), key=paths.__getitem__)
    paths = [paths[row] for row in order]
    figures = [
        _Figure(stacks, name, order) for name in stacks.column_names if _counts(stacks, name)
    ]
    key = next((figure for figure in figures if sort and figure.name == sort[0]), None)

    def rank(line: tuple[int, int, int, int]) -> tuple[bool, float, int]:
        first, last, *_ = line
        value = key.of(first, last) if key else None
        sign = -1 if sort and sort[1] == "desc" else 1
        return value is None, sign * (value or 0), min(order[first:last])

    lines: list[tuple[int, int, int, int]] = []
    depths: list[int] = []
    waiting = [(line, 0) for line in sorted(_branches(paths, 0, len(paths), 0), key=rank)][::-1]
    while waiting:
        line, depth = waiting.pop()
        lines.append(line)
        depths.append(depth)
        first, last, _, end = line
        if len(paths[first]) > end or len(paths[last - 1]) > end:
            below = sorted(_branches(paths, first, last, end), key=rank)
            if len(below) > 1:
                waiting.extend((one, depth + 1) for one in reversed(below))
    texts = list(codes)
    frames = [";".join(texts[code] for code in paths[a][start:end]) for a, _, start, end in lines]
    fields = [_DEPTH.field, _FRAMES.field, *(figure.field for figure in figures)]
    columns = [
        arrow_array(depths, pa.int64()),
        arrow_array(frames, pa.utf8()),
        *(
            arrow_array([figure.of(a, b) for a, b, *_ in lines], figure.field.type)
            for figure in figures
        ),
    ]
    return pa.table(columns, schema=pa.schema(fields))


def _path(stack: str | None, codes: dict[str, int]) -> _Path:
    """Return the codes of the frames of a stack, the outermost first."""
    frames = [frame.strip() for frame in (stack or "").split(";")]
    return tuple(codes.setdefault(frame, len(codes)) for frame in reversed(frames) if frame)


def _branches(
    paths: Sequence[_Path], first: int, last: int, start: int
) -> Iterator[tuple[int, int, int, int]]:
    """Split sorted paths by their frame at `start`.

    Yields the range of paths of each branch, and the range of frames that all of them share, both
    with exclusive ends.
    """

    def frame(row: int) -> int:
        return paths[row][start] if len(paths[row]) > start else -1

    for _, rows in groupby(range(first, last), frame):
        here = list(rows)
        a, b = paths[here[0]], paths[here[-1]]
        end = start
        while end < min(len(a), len(b)) and a[end] == b[end]:
            end += 1
        yield here[0], here[-1] + 1, start, end


def _counts(stacks: pa.Table, name: str) -> bool:
    kind = stacks.schema.field(name).type
    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)
    )


class _Figure:
    """A column of figures, in the order of the sorted paths."""

    def __init__(self, stacks: pa.Table, name: str, order: Sequence[int]) -> None:
        self.name = name
        self.field = stacks.schema.field(name)
        values = stacks[name].to_pylist()
        self._values: list[Any] = [values[row] for row in order]
        unit = (self.field.metadata or {}).get(b"unit", b"")
        self._combine = _combination(name, self.field.type, unit)
        weighs = name.endswith("mean_us") and "calls" in stacks.column_names
        calls = stacks["calls"].to_pylist() if weighs else []
        self._weights = [calls[row] for row in order] if weighs else None
        known = [value for value in self._values if value is not None]
        self._scale = 1.0
        if self._combine is sum and pa.types.is_floating(self.field.type):
            # Times are whole nanoseconds: as integers, they add up without rounding errors.
            scaled = np.array(known, np.float64) * NS_PER_US
            whole = bool(np.all(np.abs(scaled - np.rint(scaled)) < 1e-3))
            self._scale = float(NS_PER_US) if unit == b"us" and whole else 0.0

    def of(self, first: int, last: int) -> Any:
        """Return the figure of the paths from `first` to `last`."""
        values = [value for value in self._values[first:last] if value is not None]
        if last - first == 1 or not values:
            return values[0] if values else None
        if self._weights:
            return _mean(self._values[first:last], self._weights[first:last])
        if self._combine is not sum:
            return self._combine(values) if self._combine else None
        if self._scale == 1.0:
            return sum(values)
        if not self._scale:
            return math.fsum(values)
        return sum(round(value * self._scale) for value in values) / self._scale


def _mean(values: list[float | None], calls: list[int]) -> float | None:
    """Return the mean of a call of all stacks whose mean is known."""
    known = [(value * n, n) for value, n in zip(values, calls, strict=True) if value is not None]
    # Times are whole nanoseconds, which add up without rounding errors.
    total = sum(round(time * NS_PER_US) for time, _ in known) / NS_PER_US
    count = sum(n for _, n in known)
    return total / count if count else None


def _combination(name: str, kind: pa.DataType, unit: bytes) -> Any:
    """Return the function that combines several values of a column; None if there is none."""
    if name == "pct":
        return sum
    for part, extreme in (("max", max), ("min", min), ("mean", None)):
        if f"_{part}_" in f"_{name}_":
            return extreme
    return None if pa.types.is_boolean(kind) or unit == b"%" else sum
