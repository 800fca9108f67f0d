"""Flame graphs computed with plain loops, nanosecond by nanosecond and row by row."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nbprof.model.filters import selection
from nbprof.model.links.backward import forward_rows, linked_forward_rows
from tests.analysis import slow

if TYPE_CHECKING:
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Path_ = tuple[tuple[str, str], ...]


class Slow:
    """What frames are worth, moment by moment and row by row."""

    def __init__(self, model: TraceModel, filter_: Filter) -> None:
        self.model, self.filter = model, filter_
        self.host = slow.rows_of(model, "host")
        kept = selection.host_rows(model, filter_)
        self.placed = selection.host_rows(model, filter_.replace(name=None, kinds=None))
        self.frames = {
            row.index
            for row in self.host
            if kept[row.index] and (slow.is_operator(row) or row.kind in ("python", "module"))
        }
        self.loose: dict[Path_, int] = defaultdict(int)
        self.own: dict[int, int] = defaultdict(int)

    def frame(self, row: int, *, itself: bool = True) -> int:
        """Return the innermost frame that a row is or lies in, -1 without one."""
        if row >= 0 and not itself:
            row = int(self.model.nesting.parent[row])
        while row >= 0 and row not in self.frames:
            row = int(self.model.nesting.parent[row])
        return row

    def worth_goes_to(self, row: int) -> int:
        """Return the frame that what happens in a row counts for, -1 for none."""
        frame = self.frame(row)
        parent = self.model.nesting.parent
        around, forward = row, int(forward_rows(self.model)[row]) if row >= 0 else -1
        while around >= 0 and self.host[around].kind != "module":
            around = int(parent[around])
        while forward >= 0 and self.host[forward].kind != "module":
            forward = int(parent[forward])
        if frame >= 0 or around >= 0 or forward < 0 or not self.placed[row]:
            return frame
        return self.frame(forward)

    def by_host(self) -> None:
        inside: dict[Any, list[slow.Row]] = defaultdict(list)
        for index in sorted(self.frames):
            row = self.host[index]
            above = self.frame(index, itself=False)
            inside[above if above >= 0 else ("thread", row.more["thread"])].append(row)
        for thread in {row.more["thread"] for row in self.host}:
            for moment in range(100):
                at: Any = ("thread", thread)
                while here := [row for row in inside[at] if moment in row.moments]:
                    at = here[0].index
                if not isinstance(at, tuple):
                    self.own[at] += 1

    def by_device(self) -> None:
        counted = slow.counted_device_rows(self.model, self.filter)
        kept = selection.device_rows(self.model, self.filter)
        links = self.model.links
        for row in slow.rows_of(self.model, "device"):
            launch = int(links.launch[row.index])
            frame = self.worth_goes_to(launch if launch >= 0 else int(links.operator[row.index]))
            if frame >= 0 and counted[row.index]:
                self.own[frame] += row.duration
            elif frame < 0 and kept[row.index] and row.kind in slow.WORK:
                self.loose[(row.kind, row.name),] += row.duration

    def by_bytes(self) -> None:
        kept = selection.memory_records(self.model, self.filter)
        ends = self.model.nesting.end  # those of unclosed frames are not as recorded
        for at, record in enumerate(self.model.tables["memory"].to_pylist()):
            around = [
                row for row in self.host
                if row.more["thread"] == record["thread"]
                and row.start <= record["time_ns"] < ends[row.index]
            ]  # fmt: skip
            frame = self.worth_goes_to(around[-1].index if around else -1)
            if record["bytes"] > 0 and frame >= 0:
                self.own[frame] += record["bytes"]
            elif record["bytes"] > 0 and kept[at] and self.filter.name is None:
                self.loose[("memory", "[memory]"),] += record["bytes"]

    def path(self, index: int, *, moved: bool) -> Path_:
        """Return kinds and names from the bottom up to a frame."""
        row = self.host[index]
        below = self.frame(index, itself=False)
        target = self.target(index) if moved else -1
        if target >= 0 and not self.goes_along(index, target):
            below = target
        name = row.name.removeprefix("nn.Module: ")
        return (*(self.path(below, moved=moved) if below >= 0 else ()), (row.kind, name))

    def goes_along(self, index: int, target: int) -> bool:
        """Whether a linked row lies in one that goes to the same place."""
        above = self.frame(index, itself=False)
        while above >= 0 and self.target(above) < 0:
            above = self.frame(above, itself=False)
        return above >= 0 and self.target(above) == target

    def target(self, index: int) -> int:
        """Return the call of a module that a linked row is moved to, -1 for none."""
        row = int(linked_forward_rows(self.model)[index])
        if self.host[index].kind == "module":
            return -1
        while row >= 0 and self.host[row].kind != "module":
            row = int(self.model.nesting.parent[row])
        fits = row in self.frames and self.host[row].start < self.host[index].start
        return row if fits else -1

    def stacks(self) -> dict[Path_, list[int]]:
        """Return calls, total and own worth by path."""
        found: dict[Path_, list[int]] = defaultdict(lambda: [0, 0, 0])
        worth = [(self.path(index, moved=True), 1, self.own[index]) for index in self.frames]
        for path, calls, own in [*worth, *((path, 0, own) for path, own in self.loose.items())]:
            found[path][0] += calls
            found[path][2] += own
            for length in range(len(path)):
                found[path[: length + 1]][1] += own
        return {path: row for path, row in found.items() if row[1] > 0}
