"""`Summary`: the tables and header lines of a trace, shared by its text and HTML summaries."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from nbprof.analysis.advice.warnings import notes_of
from nbprof.charts.cards.cards import freed
from nbprof.charts.cards.overview import cards_of
from nbprof.model.filters.filter import Filter
from nbprof.model.links.overhead import overhead_taken
from nbprof.model.names.communication_names import rules_text
from nbprof.model.names.short_names import color_slots
from nbprof.model.steps.steps import STEP_NAME
from nbprof.model.units import format_count, format_time
from nbprof.sources.recorders import told_format
from nbprof.tables import TABLES
from nbprof.tables.trace import compute_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import pyarrow as pa

    from nbprof.charts.cards.cards import Card
    from nbprof.charts.memory.baseline import MemoryBaseline
    from nbprof.diffs.diff import Diff
    from nbprof.ranks.comparison import Distributed
    from nbprof.trace import Trace


class Summary:
    """A trace under its filter, as summaries need it.

    Parameters
    ----------
    trace : Trace
        The trace; read when the first table is needed.
    table_of : callable, optional
        Returns a table by filter, name and grouping, for callers that cache tables; by default the
        trace's own. An empty grouping is the first one.
    workers : Distributed, optional
        All workers of the run, if known.
    unit : {"auto", "ns", "us", "ms", "s"}, optional
        Unit of times.

    Attributes
    ----------
    diff : Diff or None
        The difference from the baseline, under the same filter.
    no_diff : str
        Why there is a baseline but no difference; empty without a reason.
    compact : bool
        Whether a section is drawn smaller than usual, because the summary would be too large.
    """

    def __init__(
        self,
        trace: Trace,
        table_of: Callable[[Filter, str, str], pa.Table] | None = None,
        workers: Distributed | None = None,
        unit: str = "auto",
    ) -> None:
        self.trace = trace
        self.workers = workers
        self.unit = unit
        self.diff: Diff | None = None
        self.no_diff = ""
        self.compact = False
        self._table_of = table_of or (
            lambda filter_, name, group_by: compute_table(
                trace.filter(filter_), name, **({"group_by": group_by} if group_by else {})
            )
        )
        #: Returns the memory of the baseline of a comparison; None without one.
        self.memory_baseline: Callable[[], MemoryBaseline | None] = lambda: None
        self._kept: dict[tuple[Filter, str, str], pa.Table] = {}

    def table(self, name: str, group_by: str = "") -> pa.Table:
        """Return a table under the filter; empty `group_by` for its first grouping."""
        return self._get(self.trace.active_filter, name, group_by)

    def around(self, name: str, picks: str, group_by: str = "") -> pa.Table | None:
        """Return a table without the fields that a chart sets; None if the filter has none."""
        filter_ = freed(self.trace.active_filter, picks)
        return None if filter_ is None else self._get(filter_, name, group_by)

    def whole(self, name: str) -> pa.Table:
        """Return a table of the whole trace."""
        return self._get(Filter(), name)

    def _get(self, filter_: Filter, name: str, group_by: str = "") -> pa.Table:
        key = filter_, name, group_by
        if key not in self._kept:
            self._kept[key] = self._table_of(*key)
        return self._kept[key]

    @cached_property
    def cards(self) -> list[Card]:
        """The cards of the overview."""
        return cards_of(self)

    @property
    def step_title(self) -> str:
        """The phrase for the steps that means refer to."""
        if self.trace.model.steps.recorded:
            return "Average step"
        return "Whole recording" if self.trace.active_filter.time_us is None else "Range of time"

    @property
    def step_time(self) -> str:
        """The phrase for the time that percentages refer to, from the first to the last step."""
        if self.trace.model.steps.recorded:
            return "step time"
        return "the recording" if self.trace.active_filter.time_us is None else "the range of time"

    @property
    def has_slices(self) -> bool:
        """Whether anything was recorded that has a duration."""
        tables = self.trace.model.tables
        return bool(tables["host"].num_rows or tables["device"].num_rows)

    @cached_property
    def measure(self) -> str:
        """The column operators are ranked by: device self time, for CPU traces host self time."""
        return _measure_of(self.table("operators"))

    def top(self, name: str, column: str, count: int) -> list[dict[str, Any]]:
        """Return the rows with the largest values of a column, without zeros."""
        table = self.table(name)
        order = pc.sort_indices(table, sort_keys=[(column, "descending")])
        rows: list[dict[str, Any]] = table.take(order.slice(0, count)).to_pylist()
        return [row for row in rows if row[column]]

    def slot_of(self, name: str) -> Callable[[str], int]:
        """Return a function from names to colour slots, determined by the whole trace."""
        whole = self.whole(name)
        sorts = TABLES[name].sort
        column = next((c for c in sorts if whole[c].null_count < whole.num_rows), sorts[0])
        rows: Iterable[tuple[str, float | None]] = zip(
            whole["name"].to_pylist(), whole[column].to_pylist(), strict=True
        )
        ranked = sorted(rows, key=lambda row: (-(row[1] or 0.0), row[0]))
        return color_slots(text for text, _ in ranked)

    def head(self) -> list[str]:
        """Return the header lines: trace, size, filter, repairs."""
        trace = self.trace
        metadata, steps = trace.model.metadata, trace.model.steps
        of_steps = (
            format_count(len(steps.number), "step") if steps.recorded else "no steps recorded"
        )
        if STEP_NAME in metadata:
            of_steps += f" by the label {metadata[STEP_NAME]}"
        facts = f"{metadata.get('events', 0):,} events"
        if length := metadata.get("end_ns", 0):  # profiles that only sum have none, and no steps
            facts = f"{of_steps}, {facts}, {format_time(length / 1000.0)}"
        format_ = told_format(trace.file.format)
        whose = f"Run {trace.run}, worker {trace.worker}, span {trace.span}"
        lines = [f"{whose}, {format_}" if format_ else whose, facts]
        if taken := overhead_taken(trace.model):
            lines.append(f"The profiler itself took {taken}")
        narrowed = ", ".join(text for _, text in trace.active_filter.describe())
        if narrowed:
            lines.append(f"Filtered to {narrowed}")
        rules = metadata.get("communication_names")
        if rules:
            lines.append(f"User-defined communication: {rules_text(rules)}")
        found = self.table("warnings")
        if warnings := [row for row in found.to_pylist() if row["level"] == "warning"]:
            count = sum(row["count"] for row in warnings)
            kinds = ", ".join(row["kind"] for row in warnings)
            lines.append(f"Repaired, skipped or inconsistent while reading: {count:,} ({kinds})")
        if notes := notes_of(found):
            lines += [f"About this file: {notes[0]}.", *(f"{note}." for note in notes[1:])]
        return lines


def _measure_of(operators: pa.Table) -> str:
    """Return the column operators are ranked by: device self time, or else host self time."""
    column = "device_self_us"
    return "host_self_us" if operators[column].null_count == operators.num_rows else column
