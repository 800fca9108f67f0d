"""Names the workers: after the files of each, so that no two files are one span."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from nbprof.sources.discovery.workers.spans import span_index, with_spans_named
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.packed.member import ArchiveMember
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.workers.nodes import Probed


def worker_names(readable: Sequence[Probed]) -> list[str]:
    """Return worker names; longer ones if two files would be the same span of one worker.

    Files that state the same rank are spans of one worker, see `with_spans_named`.
    """
    candidates = [candidate for candidate, _ in readable]
    names, spans = with_spans_named(readable, _by_format(readable))
    settled = {(candidates[at].run, names[at]) for at in spans}
    rest = sorted({*range(len(readable))} - {*spans})
    stamps = {at: (span_index(readable[at][1]), candidates[at].name.stamp) for at in rest}
    for longer in (_with_rank, _with_ending, _with_path):
        keys = {at: (candidates[at].run, names[at], stamps[at]) for at in rest}
        seen = Counter(keys.values())
        for at, key in keys.items():
            if seen[key] > 1 or key[:2] in settled:
                names[at] = longer(candidates[at], names[at])
    return names


def _by_format(readable: Sequence[Probed]) -> list[str]:
    """Return worker names; recordings of one worker by several profilers stay separate."""
    formats: dict[tuple[str, str], set[str]] = defaultdict(set)
    for one, head in readable:
        if not RECORDERS[head.format].comes_last:
            formats[one.run, one.name.worker].add(head.format)
    # If one worker of a profiler must be renamed, all of them are.
    repeated = {
        (run, format_)
        for (run, _), found in formats.items()
        for format_ in found
        if len(found) > 1 and not RECORDERS[format_].general
    }
    return [
        f"{one.name.worker} ({head.format})"
        if (one.run, head.format) in repeated
        else one.name.worker
        for one, head in readable
    ]


def _with_rank(candidate: Candidate, name: str) -> str:
    return name if candidate.rank is None else f"rank{candidate.rank}"


def _with_ending(candidate: Candidate, _: str) -> str:
    # The directory of parts has the same name for all workers; the one above does not.
    one = candidate.path
    if candidate.parts and not isinstance(one, (MemoryFile, ArchiveMember)):
        return one.parent.name
    return one.name


def _with_path(candidate: Candidate, _: str) -> str:
    return candidate.path.as_posix()
