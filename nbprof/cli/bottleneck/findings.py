"""What to look at first, from a profile of Python and a trace of PyTorch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.model.units import format_pct

if TYPE_CHECKING:
    from nbprof.cli.bottleneck.runs import Run

#: Least shares of the time of the profile, in percent.
_NOTEWORTHY: Final = 10.0
_LARGE: Final = 25.0


#: Rules whose advice is about a profiler that the program uses itself.
_NOT_HERE: Final = frozenset({"steps_not_marked"})


class Advice(NamedTuple):
    """A finding, and what to try."""

    message: str
    advice: str


class _Pattern(NamedTuple):
    """Functions that mean the same, by their names as frames."""

    frames: re.Pattern[str]
    column: str
    message: str
    advice: str


_PATTERNS: Final = (
    _Pattern(
        re.compile(r"torch/utils/data/dataloader\.py\(\d+\): __next__$"),
        "total_pct",
        "Waiting for data takes {} % of the run.",
        "Load batches ahead: DataLoader(num_workers=…, persistent_workers=True, pin_memory=True).",
    ),
    _Pattern(
        re.compile(r"<frozen importlib\._bootstrap>\(\d+\): _find_and_load$"),
        "total_pct",
        "Importing modules takes {} % of the run.",
        "Profile a longer run, so that the rest carries weight.",
    ),
    _Pattern(
        re.compile(r"method '(?:item|tolist|cpu|numpy|nonzero)' of 'torch\._C|synchronize"),
        "self_pct",
        "Waiting for results of the device takes {} % of the run.",
        "Read values such as losses less often; every .item() waits for all queued work.",
    ),
    _Pattern(
        re.compile(
            r"method 'acquire' of '_thread|select\.\w+'|built-in method (?:select|time\.sleep)"
        ),
        "self_pct",
        "Waiting for other threads, processes or the clock takes {} % of the run.",
        "See who calls it: nbprof table RECORDING function_callers.",
    ),
)


def findings(python: Run, torch: Run | None) -> list[Advice]:
    """Return what to look at first, the general first."""
    found = []
    for run, name in ((python, "cProfile"), (torch, "PyTorch's profiler")):
        if run is not None and run.status:
            ended = run.facts.get("ended")
            how = f" ({ended})" if ended and ended != "exit" else ""
            message = f"With {name} the program ended with status {run.status}{how}."
            found.append(Advice(message, "The figures are of what ran until then."))
    if python.trace is not None:
        found += _of_functions(python.trace.table("functions").to_pylist())
    if torch is not None and torch.trace is not None:
        found += [
            Advice(row["message"], row["advice"])
            for row in torch.trace.recommendations().to_pylist()
            if row["rule"] not in _NOT_HERE
        ]
    return found


def _of_functions(rows: list[dict[str, Any]]) -> list[Advice]:
    found = []
    explained: set[str] = set()
    for pattern in _PATTERNS:
        matching = [row for row in rows if pattern.frames.search(row["name"])]
        shares = [row[pattern.column] or 0.0 for row in matching]
        # Totals of functions that call each other would count twice.
        share = max(shares, default=0.0) if pattern.column == "total_pct" else sum(shares)
        if share >= _NOTEWORTHY:
            explained |= {row["name"] for row in matching}
            shown = format_pct(min(share, 100.0))
            found.append(Advice(pattern.message.format(shown), pattern.advice))
    if rows and (rows[0]["self_pct"] or 0.0) >= _LARGE and rows[0]["name"] not in explained:
        first = rows[0]
        calls = "1 call" if first["calls"] == 1 else f"{first['calls']:,} calls"
        message = f"{first['function']} takes {format_pct(first['self_pct'])} % of the run"
        where = "" if first["file"] == "~" else f" (line {first['line']} of {first['file']})"
        found.append(Advice(f"{message} itself, in {calls}{where}.", "Begin here."))
    return found
