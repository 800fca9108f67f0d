"""Gives every worker its rank, and none to files of no rank, such as the trace of a router."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import count
from typing import TYPE_CHECKING, Final, TypeAlias

from nbprof.sources.discovery.naming import labelled_rank, rank_in_name
from nbprof.sources.discovery.workers.nodes import ranks_fill, stated_place
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.discovery.workers.nodes import Probed

#: Run and worker.
_Key: TypeAlias = "tuple[str, str]"

#: Names that servers give to the traces of their front ends.
_FRONT_END: Final = re.compile(r"\basync_llm\b")


def ranks_of(workers: Mapping[_Key, Sequence[Probed]]) -> dict[_Key, int | None]:
    """Return the rank of every worker: as given, by metadata, by name, or by order.

    Files without host and device rows, which come after the traces of a run, have no rank unless
    the caller gave it. Nor has a process that states no rank where others state all ranks of the
    job, or state ranks and its name is that of a front end.

    Parameters
    ----------
    workers : mapping of (str, str) to sequence of (Candidate, Head)
        The files by run and worker, in the order of workers.
    """
    places: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for (run, _), files in workers.items():
        places[run].update(filter(None, (stated_place(*one) for one in files)))
    ranks: dict[_Key, int | None] = {}
    waiting: list[_Key] = []
    for (run, worker), files in workers.items():
        rank = _stated(files)
        if rank is None:
            if _is_beside(worker, files, places[run]):
                rank = None
            elif (rank := rank_in_name(worker)) is None:
                waiting.append((run, worker))
                continue
        ranks[run, worker] = rank
    taken: dict[str, set[int | None]] = defaultdict(set)
    for (run, _), known in ranks.items():
        taken[run].add(known)
    for run, worker in waiting:
        ranks[run, worker] = next(one for one in count() if one not in taken[run])
        taken[run].add(ranks[run, worker])
    return ranks


def _stated(files: Sequence[Probed]) -> int | None:
    """Return the rank that the caller gave, or that a file states."""
    given = [candidate.rank for candidate, _ in files]
    own = [dict(head.metadata).get("rank") for _, head in files]
    return next((rank for rank in (*given, *own) if rank is not None), None)


def _is_beside(worker: str, files: Sequence[Probed], places: set[tuple[int, int]]) -> bool:
    """Return whether a worker that states no rank is beside the job of its run, not in it."""
    if RECORDERS[files[0][1].format].comes_last:
        return True
    if _FRONT_END.search(worker):
        return bool(places)
    if len(places) == 1 or not ranks_fill(places):
        return False
    named = labelled_rank(worker)
    # A file without events may be a rank whose recording was lost.
    return all(head.start_ns for _, head in files) and (named is None or named >= len(places))
