"""Makes one run of folders that hold the ranks of one job, such as a folder of every node."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.head import Head

#: A file with the result of probing it.
Probed: TypeAlias = "tuple[Candidate, Head]"

#: Rank and world size, as a file states them.
_Place: TypeAlias = "tuple[int, int]"


def ranks_fill(places: Iterable[_Place]) -> bool:
    """Return whether ranks are all those of one job.

    Parameters
    ----------
    places : iterable of (int, int)
        Rank and world size that each file states.
    """
    found = set(places)
    worlds = {world for _, world in found}
    return len(worlds) == 1 and {rank for rank, _ in found} == set(range(*worlds))


def stated_place(candidate: Candidate, head: Head) -> _Place | None:
    """Return the rank and world size that a file states; None if it does not state both.

    A rank that the caller gave replaces that of the file.
    """
    known = dict(head.metadata)
    if "rank" not in known or "world_size" not in known:
        return None
    return known["rank"] if candidate.rank is None else candidate.rank, known["world_size"]


def with_nodes_joined(probed: Sequence[Probed]) -> list[Probed]:
    """Return the files; folders whose ranks complete each other are one run.

    The folders lie below a common one, which gives the run its name. The ranks that their files
    state are disjoint, have one world size and are all of its ranks. Workers are named after their
    folder, too.
    """
    places: dict[str, set[_Place]] = defaultdict(set)
    runs: dict[str, str] = {}
    for candidate, head in probed:
        place = stated_place(candidate, head)
        if candidate.home and place is not None:
            places[candidate.home].add(place)
            runs[candidate.home] = candidate.run
    tops = _tops(places)
    names: dict[str, str] = {}
    for top in tops.values():
        below = [runs[home] for home, of in tops.items() if of == top]
        names[top] = posixpath.commonpath(below) or PurePosixPath(top).name
    return [
        (_in_run(one, tops[one.home], names[tops[one.home]]), head) if one.home in tops
        else (one, head)
        for one, head in probed
    ]  # fmt: skip


def _tops(places: dict[str, set[_Place]]) -> dict[str, str]:
    """Return the common folder of each folder that is joined with others."""
    # A folder with all ranks of its job is complete.
    parts = [home for home, found in places.items() if not ranks_fill(found)]
    below: dict[PurePosixPath, list[str]] = defaultdict(list)
    for home in parts:
        for folder in (PurePosixPath(home), *PurePosixPath(home).parents):
            below[folder].append(home)
    tops: dict[str, str] = {}
    for folder in sorted(below, key=lambda one: -len(one.parts)):
        homes = [home for home in below[folder] if home not in tops]
        found = [place for home in homes for place in places[home]]
        is_apart = len(found) == len(set(found))
        other_job = str(folder) in places and str(folder) not in homes
        if len(homes) > 1 and is_apart and not other_job and ranks_fill(found):
            tops.update(dict.fromkeys(homes, str(folder)))
    return tops


def _in_run(candidate: Candidate, top: str, run: str) -> Candidate:
    """Return a candidate as part of a run; its worker is named after its folder, too."""
    folder = PurePosixPath(candidate.home).relative_to(top)
    worker = (folder / candidate.name.worker).as_posix()
    return replace(candidate, run=run, name=replace(candidate.name, worker=worker))
