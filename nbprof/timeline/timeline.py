"""`Timeline`: the parts of one trace's timeline, each computed on first use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.slices import Slices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.timeline.curves.minimap import Minimap
    from nbprof.timeline.curves.tracks import Track
    from nbprof.timeline.lanes.lanes import LaneSet
    from nbprof.timeline.pyramid import Pyramid
    from nbprof.timeline.window import Window


@dataclass(frozen=True)
class Timeline:
    """The timeline of one trace with one grouping of lanes.

    Parts are cached with the trace, so creating this object again costs nothing.
    """

    model: TraceModel
    group_by: str = "thread"

    @classmethod
    def of(cls, model: TraceModel, group_by: str = "thread") -> Timeline:
        """Return the timeline of a trace.

        Raises
        ------
        ValueError
            The grouping is unknown.
        """
        lane_set(model, group_by)
        return cls(model, group_by)

    @property
    def slices(self) -> Slices:
        """All slices, see `nbprof.timeline.slices`."""
        return Slices.of(self.model)

    @property
    def lanes(self) -> LaneSet:
        """The lanes and the row of every slice, see `nbprof.timeline.lanes.lanes`."""
        return lane_set(self.model, self.group_by)

    @property
    def pyramid(self) -> Pyramid:
        """All levels of detail, see `nbprof.timeline.pyramid`."""
        from nbprof.timeline.pyramid import Pyramid

        key = ("pyramid", self.group_by)
        return self.model.cached(key, lambda: Pyramid.build(self.slices, self.lanes))

    @property
    def tracks(self) -> tuple[Track, ...]:
        """The curves, see `nbprof.timeline.curves.tracks`."""
        from nbprof.timeline.curves.tracks import tracks

        return tuple(tracks(self.model))

    @property
    def minimap(self) -> Minimap:
        """The minimap, see `nbprof.timeline.curves.minimap`."""
        from nbprof.timeline.curves.minimap import minimap

        return self.model.cached("minimap", lambda: minimap(self.model))

    def window(
        self, start_ns: int, end_ns: int, width: int, rows: Sequence[tuple[int, int]]
    ) -> Window:
        """Return the items of a window with a number of pixel columns, see `timeline.window`."""
        from nbprof.timeline.window import query

        return query(self.pyramid, start_ns, end_ns, width, rows)
