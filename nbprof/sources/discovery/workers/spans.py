"""Finds the files of one rank in a folder, which are spans of one worker, and their order."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from nbprof.sources.discovery.naming import natural_key
from nbprof.sources.discovery.workers.nodes import TIME_OF_DAY, stated_place

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.head import Head
    from nbprof.sources.discovery.workers.nodes import Probed

#: Properties of a process that the files of one rank have in common.
_Process: TypeAlias = "tuple[Any, ...]"

#: Numbers of processes in names: ranks, nodes, and places in each kind of parallelism.
_NUMBERED: Final = re.compile(
    r"(?<![a-z])((?:[dp]c|[cdepst])p|rank|worker|node)[-_. ]?(\d+)", re.IGNORECASE
)
_SEPARATORS: Final = re.compile(r"([^0-9A-Za-z]+)")
_TIME: Final = re.compile(r"(?<!\d)(1\d{9})(\d{0,9})(?:\.(\d+))?(?!\d)")


def with_spans_named(probed: Sequence[Probed], names: Sequence[str]) -> tuple[list[str], list[int]]:
    """Return names of workers, the same for all files of a rank in a folder.

    Files that state different ranks have different names.

    Parameters
    ----------
    probed : sequence of (Candidate, Head)
        The files.
    names : sequence of str
        A name for the worker of each.

    Returns
    -------
    names : list of str
        For each file: the words that the names of all files of its rank share.
    together : list of int
        Indices of files that are spans with another file, whatever their names and stamps are.
    """
    groups: dict[_Process, list[int]] = defaultdict(list)
    for at, (candidate, head) in enumerate(probed):
        process = _process_of(candidate, head)
        if process is not None:
            groups[process].append(at)
    shared = {process: _shared_words([names[at] for at in own]) for process, own in groups.items()}
    used = Counter((process[0], words) for process, words in shared.items())
    found = list(names)
    for process, own in groups.items():
        run, rank, words = process[0], process[1], shared[process]
        folder, slash, name = words.rpartition("/")
        if used[run, words] > 1 or not name:
            is_given = probed[own[0]][0].rank is not None
            words = f"{folder}{slash}{'' if is_given or not name else f'{name}_'}rank{rank}"
        for at in own:
            found[at] = words
    return found, [at for own in groups.values() if len(own) > 1 for at in own]


def _process_of(candidate: Candidate, head: Head) -> _Process | None:
    """Return what the files of a rank have in common; None if a file does not state its rank."""
    place = stated_place(candidate, head)
    if place is None:
        return None
    # Several jobs that write to one folder may have equal ranks; their names then differ in these.
    numbers = {(kind.lower(), int(n)) for kind, n in _NUMBERED.findall(candidate.name.worker)}
    host = dict(head.metadata).get("host_name", "")
    return candidate.run, *place, head.format, host, tuple(sorted(numbers))


def _shared_words(names: Sequence[str]) -> str:
    """Return the words that are in all names, with the separators of the first one."""
    if len(set(names)) == 1:
        return names[0]
    folder, slash, _ = names[0].rpartition("/")
    words = [_SEPARATORS.split(name.rpartition("/")[2]) for name in names]
    left = Counter(words[0][::2])
    for other in words[1:]:
        left &= Counter(other[::2])
    shared = ""
    for at in range(0, len(words[0]), 2):
        word = words[0][at]
        if left[word] > 0:
            left[word] -= 1
            shared += (words[0][at - 1] if shared else "") + word
    return folder + slash + shared.removesuffix(".trace")


def in_time_order(spans: Sequence[Probed]) -> list[Probed]:
    """Return the files of a worker in the order of their beginnings.

    The number of the span in the file counts most, then the stamps that the profiler's handlers
    put into names. Without them, it is the time of day in the files, else the time in their names,
    their first time stamp, and at last the name itself. Python frames of a later span may have
    begun in an earlier one, so first times alone can mislead.
    """
    have_stamp = all(candidate.name.stamp >= 0 for candidate, _ in spans)
    have_time = all(head.start_ns >= TIME_OF_DAY for _, head in spans)

    def beginning(one: Probed) -> tuple[Any, ...]:
        candidate, head = one
        return (
            span_index(head),
            candidate.name.stamp if have_stamp else 0,
            head.start_ns if have_time else 0,
            _time_in_name(candidate.name.worker),
            head.start_ns,
            candidate.name.stamp,
            natural_key(candidate.path.name),
        )

    return sorted(spans, key=beginning)


def span_index(head: Head) -> int:
    """Return the number of a span that its file states, else -1."""
    index: int = dict(head.metadata).get("span_index", -1)
    return index


def _time_in_name(name: str) -> float:
    """Return the seconds since 1970 in a name, as seconds down to nanoseconds; 0 without any."""
    match = _TIME.search(name)
    return float(f"{match[1]}.{match[2]}{match[3] or ''}") if match else 0.0
