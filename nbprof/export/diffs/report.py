"""`Report`: the content of a report of a comparison, whatever its format."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.diffs.gate.verdicts import Verdict, amount
from nbprof.diffs.lookup import diff_table
from nbprof.diffs.spec import SAME
from nbprof.model.names.short_names import middle_cut
from nbprof.model.units import MISSING
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.diffs.diff import Diff
    from nbprof.trace import Trace

#: Longest name of a row in a report for people.
NAME_LENGTH: Final = 90
#: How many rows are listed as slower, and as faster.
LISTED: Final = 5


@dataclass(frozen=True)
class Change:
    """A name that got slower or faster, and by how much of the step."""

    category: str
    name: str
    delta_us: float
    baseline_us: float
    candidate_us: float
    change: str


@dataclass(frozen=True)
class Report:
    """The content of a report.

    Attributes
    ----------
    headline : str
        One line: the change of the step time.
    reason : str
        A sentence: by what it changed; empty without anything to compare.
    sides : (dict, dict)
        Run, worker and span of the baseline and of the candidate.
    notes : list of str
        Sentences about what is compared.
    verdicts : list of Verdict
        What became of the limits.
    slower, faster : list of Change
        The largest changes of the step outside the noise.
    tables : dict of str to pyarrow.Table
        Tables by word, with the rows of the report only.
    rows : dict of str to int
        How many rows each table has in all.
    """

    headline: str
    reason: str
    sides: tuple[dict[str, Any], dict[str, Any]]
    notes: list[str]
    verdicts: list[Verdict]
    slower: list[Change]
    faster: list[Change]
    tables: dict[str, pa.Table]
    rows: dict[str, int]
    per_step: bool
    complete_steps: tuple[int, int]

    @classmethod
    def of(
        cls, diff: Diff, words: Sequence[str], verdicts: Sequence[Verdict], *, limit: int | None
    ) -> Report:
        """Gather a report.

        Parameters
        ----------
        diff : Diff
            The comparison.
        words : sequence of str
            Tables by word.
        verdicts : sequence of Verdict
            Limits that were checked.
        limit : int or None
            Rows of each table; None for all.
        """
        tables = {word: diff.table(word) for word in words}
        changes = [
            Change(
                row["category"],
                row["name"] or row["category"],
                row["delta_us"],
                row["baseline_us"],
                row["candidate_us"],
                row["change"],
            )
            for row in diff.waterfall(limit=200).to_pylist()
            if row["kind"] == "change" and row["change"] != SAME
        ]
        return cls(
            headline=headline(diff),
            reason=diff.reason(),
            sides=(_side(diff.baseline), _side(diff.candidate)),
            notes=diff.notes(),
            verdicts=list(verdicts),
            slower=[change for change in changes if change.delta_us > 0][:LISTED],
            faster=[change for change in changes if change.delta_us < 0][:LISTED],
            tables={word: table.slice(0, limit) for word, table in tables.items()},
            rows={word: table.num_rows for word, table in tables.items()},
            per_step=diff.per_step,
            complete_steps=diff.complete_steps,
        )

    @property
    def failed(self) -> bool:
        """Whether a limit fails."""
        return any(verdict.failed for verdict in self.verdicts)


def headline(diff: Diff) -> str:
    """Return one line about the step time on both sides."""
    row = next(iter(diff.categories().slice(0, 1).to_pylist()), None)
    if row is None or row["baseline_total_us"] is None or row["candidate_total_us"] is None:
        return "There are no steps to compare"
    what = "Step time" if diff.per_step else "Recording"
    before, after = row["baseline_total_us"], row["candidate_total_us"]
    times = f"{amount(before, 'us')} → {amount(after, 'us')}"
    share = "" if row["delta_pct"] is None else f"{row['delta_pct']:+.1f}%, "
    change = amount(after - before, "us", signed=True)
    noise = "" if row["noise_pct"] is None else f"±{2 * row['noise_pct']:.1f}%"
    if row["change"] == SAME:
        within = f" within the noise of {noise}" if noise else ""
        return f"{what} unchanged{within}: {times} ({share}{change})"
    word = "slower" if after > before else "faster"
    return f"{what} {word}: {times} ({share}{change}{f', noise {noise}' if noise else ''})"


def title_of(word: str) -> str:
    """Return the heading of a table."""
    summary = diff_table(word)[0].summary.replace(" on both sides", "").removeprefix("the ")
    return f"By {word}: {summary}"


def shown_table(table: pa.Table) -> tuple[list[str], list[list[str]]]:
    """Return heads and cells of a table as people read them.

    Of the figures, the main one is shown on both sides, with its difference and what became of it.
    """
    field = next((one for one in table.schema if one.name == "change"), None)
    about = (field.metadata or {}) if field is not None else {}
    main, stand_in = (about.get(name, b"").decode() for name in (b"figure", b"instead"))
    figure = main if f"baseline_{main}" in table.column_names else _first_figure(table)
    unit = (table.schema.field(f"delta_{figure}").metadata or {}).get(b"unit", b"").decode()
    first = table.column_names.index(f"baseline_{figure}") if figure else table.num_columns
    keys = [
        name
        for name in table.column_names[:first]
        if not name.startswith(("baseline_", "candidate_", "delta_")) and name not in _HIDDEN
    ]
    figures = [f"{side}_{figure}" for side in _SIDES]
    rows = []
    for row in table.to_pylist():
        cells = [_text(row[key]) for key in keys]
        if "depth" in row and "name" in keys:
            cells[keys.index("name")] = "  " * row["depth"] + cells[keys.index("name")]
        has_none = stand_in and not row[figures[0]] and not row[figures[1]]
        for at, side in enumerate(_SIDES):
            value = row[f"{side}_{stand_in if has_none else figure}"]
            words = MISSING if value is None else amount(value, unit, signed=at == 2)
            cells.append(f"{words} on the host" if has_none and at == 0 else words)
        share = row.get("delta_pct")
        cells.append(MISSING if share is None else f"{share:+.1f}%")
        cells.append(_text(row.get("change")))
        rows.append(cells)
    return [*keys, "baseline", "candidate", "difference", "%", "change"], rows


#: The prefixes of the columns of a figure.
_SIDES: Final = ("baseline", "candidate", "delta")

#: Columns that say where a row is in a tree.
_HIDDEN: Final = frozenset({"row", "parent", "depth", "category", "candidate_name", "occurrence"})


def _first_figure(table: pa.Table) -> str:
    name: str = next(name for name in table.column_names if name.startswith("delta_"))
    return name.removeprefix("delta_")


def _text(value: object) -> str:
    return "" if value is None else middle_cut(printable(str(value)), NAME_LENGTH)


def _side(trace: Trace) -> dict[str, Any]:
    return {"run": trace.run, "worker": trace.worker, "span": trace.span}
