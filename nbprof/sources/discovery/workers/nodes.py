"""Makes one run of folders that hold the ranks of one job, such as a folder of every node."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.head import Head

#: A file with the result of probing it.
Probed: TypeAlias = "tuple[Candidate, Head]"

#: Rank and world size, as a file states them.
_Place: TypeAlias = "tuple[int, int]"

#: Nanoseconds since 1970; smaller times count from something else, such as the start of a machine.
TIME_OF_DAY: Final = 10**17

#: Nodes of a job begin their first recordings within these nanoseconds.
_FARTHEST: Final = 600 * 10**9


@dataclass
class _Folder:
    """The files of a folder that state rank and world size: where they begin, and their run."""

    run: str
    places: set[_Place] = field(default_factory=set)
    starts: list[int] = field(default_factory=list)


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


def with_nodes_joined(probed: Sequence[Probed], unread: Collection[str] = ()) -> list[Probed]:
    """Return the files; folders whose ranks complete each other are one run.

    The folders lie below a common one, which gives the run its name. The ranks that their files
    state are disjoint, have one world size and are all of its ranks, and the folders begin at about
    the same time. Workers are named after their folder, too.

    Parameters
    ----------
    probed : sequence of (Candidate, Head)
        The files.
    unread : collection of str
        Folders with traces that cannot be read and may be of the other ranks; they are runs of
        their own.
    """
    folders: dict[str, _Folder] = {}
    for candidate, head in probed:
        place = stated_place(candidate, head)
        if candidate.home and candidate.home not in unread and place is not None:
            folder = folders.setdefault(candidate.home, _Folder(candidate.run))
            folder.places.add(place)
            folder.starts.append(head.start_ns)
    tops = _tops(folders)
    names: dict[str, str] = {}
    for top in tops.values():
        below = [folders[home].run for home, of in tops.items() if of == top]
        names[top] = posixpath.commonpath(below) or PurePosixPath(top).name
    return [
        (_in_run(one, tops[one.home], names[tops[one.home]]), head) if one.home in tops
        else (one, head)
        for one, head in probed
    ]  # fmt: skip


def _tops(folders: dict[str, _Folder]) -> dict[str, str]:
    """Return the common folder of each folder that is joined with others."""
    complete = {PurePosixPath(home) for home, one in folders.items() if ranks_fill(one.places)}
    below: dict[PurePosixPath, list[str]] = defaultdict(list)
    for home in folders:
        for folder in (PurePosixPath(home), *PurePosixPath(home).parents):
            if folder in complete:  # it has all ranks of another job
                break
            below[folder].append(home)
    tops: dict[str, str] = {}
    for top in sorted(below, key=lambda one: -len(one.parts)):
        homes = [home for home in below[top] if home not in tops]
        if len(homes) > 1 and _is_one_job([folders[home] for home in homes]):
            tops.update(dict.fromkeys(homes, str(top)))
    return tops


def _is_one_job(folders: Sequence[_Folder]) -> bool:
    places = [place for folder in folders for place in folder.places]
    starts = [min(folder.starts) for folder in folders]
    apart = max(starts) - min(starts) if min(starts) >= TIME_OF_DAY else 0
    return len(places) == len(set(places)) and ranks_fill(places) and apart <= _FARTHEST


def _in_run(candidate: Candidate, top: str, run: str) -> Candidate:
    """Return a candidate as part of a run; its worker is named after its folder, too."""
    folder = PurePosixPath(candidate.home).relative_to(top)
    worker = (folder / candidate.name.worker).as_posix()
    return replace(candidate, run=run, name=replace(candidate.name, worker=worker))
