"""Notices of the distributed view: what is missing, and how to record it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.names.communication_names import rules_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.model.filters.filter import Filter
    from nbprof.ranks.comparison import Distributed

#: Advice if communication has names that nbprof does not know.
_RULES: Final = (
    " If communication kernels have other names, add these to nbprof.options.communication_names."
)

#: Maximum number of workers or ranks named in one sentence.
_NAMED: Final = 4

Words = dict[str, Any]


def why_empty(distributed: Distributed, filter_: Filter, how: str) -> Words | None:
    """Return the notice shown instead of charts, or above those of a single worker.

    Parameters
    ----------
    distributed : Distributed
        The workers.
    filter_ : Filter
        Their filter.
    how : str
        How to record every rank, one sentence.
    """
    actions = [{"label": "Reset filters", "filter": {}}] if filter_ else []
    workers = len(distributed.workers)
    if not distributed.calls and filter_:
        title = "No communication found under this filter"
        text = "Clear the filter to search all ranks again."
        return {"title": title, "text": text, "actions": actions}
    rules = _RULES if _has_devices(distributed) else ""
    if workers == 1:
        said = "" if distributed.calls else f" No communication was found in its trace.{rules}"
        text = f"There is one worker, {distributed.workers[0]}.{said} {how}"
        return {"title": "One worker", "text": text, "actions": []}
    if not distributed.calls:
        text = f"No communication was found in the traces of {workers} workers.{rules} {how}"
        return {"title": "No communication found", "text": text, "actions": []}
    return None


def notes_of(distributed: Distributed) -> list[str]:
    """Return a sentence for each kind of missing data."""
    said = []
    for worker, reason in distributed.broken.items():
        said.append(f"{worker} cannot be read and is left out: {reason}")
    if distributed.missing:
        one = len(distributed.missing) == 1
        ranks = f"{'Rank' if one else 'Ranks'} {_runs(distributed.missing)}"
        said.append(f"{ranks} of this job {'is' if one else 'are'} not here.")
    if distributed.calls and distributed.single_rank and distributed.unpaired:
        said.append("Waiting times need the traces of all ranks.")
    elif distributed.unpaired:
        counts = [f"{count:,} of {worker}" for worker, count in distributed.unpaired.items()]
        calls = f"{', '.join(counts[:_NAMED])}{', …' if len(counts) > _NAMED else ''}"
        said.append(
            f"The workers made different calls in some steps. Their waiting times are unknown and "
            f"left out: {calls} calls."
        )
    return said


def rules_note(metadata: Mapping[str, Any]) -> list[str]:
    """Return a sentence about the user's communication rules, if there are any."""
    rules = metadata.get("communication_names")
    return [f"User-defined communication: {rules_text(rules)}."] if rules else []


def _has_devices(distributed: Distributed) -> bool:
    """Return whether any worker did work on a device."""
    devices = distributed.devices["device"]
    return bool(devices.null_count < len(devices))


def _runs(numbers: Sequence[int]) -> str:
    """Format numbers as ranges: 1, 3 to 5."""
    breaks = [at for at, (low, high) in enumerate(pairwise(numbers), 1) if high != low + 1]
    pieces = [
        numbers[start:end] for start, end in zip([0, *breaks], [*breaks, len(numbers)], strict=True)
    ]
    texts = [str(p[0]) if len(p) == 1 else f"{p[0]} to {p[-1]}" for p in pieces]
    return ", ".join(texts[:_NAMED]) + (", …" if len(texts) > _NAMED else "")
