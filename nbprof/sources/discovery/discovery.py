"""Finds the runs, workers and spans under a source."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING

from nbprof.model.errors import TraceFormatError
from nbprof.model.visible_text import printable
from nbprof.sources.discovery.catalog import Catalog, TraceFile
from nbprof.sources.discovery.naming import natural_key, rank_in_name
from nbprof.sources.discovery.probing import probe
from nbprof.sources.discovery.runs import distinct_run_names
from nbprof.sources.discovery.search import Search, Source
from nbprof.sources.discovery.source_listing import listing_of
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.packed.candidates import expanded
from nbprof.sources.packed.member import ArchiveMember
from nbprof.sources.recorders import RECORDERS, written_by

if TYPE_CHECKING:
    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.head import Head
    from nbprof.sources.files.opening import AnyFile, AnyPath
    from nbprof.sources.recorder import SecondForms

#: Number of remote files that are probed concurrently.
_AT_A_TIME = 32

#: Maximum number of files that a message lists.
_LISTED = 20


def discover(source: Source) -> Catalog:
    """Find the traces under a source, reading only the ends of files.

    Parameters
    ----------
    source : path, glob, list of paths, or dict of rank to path
        A directory is searched with its subdirectories, symbolic links followed.

    Returns
    -------
    Catalog

    Raises
    ------
    TraceNotFoundError
        No file name matches the pattern of a trace.
    TraceFormatError
        Files matched, and none of them is a trace.
    """
    began = time.monotonic()
    search = Search()
    search.run(source)
    # Before files are opened: one that grows meanwhile has changed since.
    listing = listing_of(search.candidates, began)
    if not search.candidates:
        raise search.not_found()
    skipped = search.unreadable
    readable: list[tuple[Candidate, Head]] = []
    for candidate, head in _probed(search.candidates, skipped):
        if head.reason:
            skipped.append((candidate.path, head.reason))
        else:
            readable += _by_process(candidate, head)
    if not readable:
        raise _none_readable(skipped, search.looked_for)
    readable = _skip_duplicates(readable, skipped)
    return Catalog(_files(readable), skipped, search.looked_for, listing)


def _probed(
    candidates: list[Candidate], skipped: list[tuple[AnyFile | str, str]]
) -> list[tuple[Candidate, Head]]:
    """Probe files, and the files in archives in place of these."""
    found = list(zip(candidates, _heads(candidates), strict=True))
    if not any(head.archive for _, head in found):
        return found
    files: list[Candidate] = []
    for candidate, head in found:
        inside = [candidate]
        if head.archive:
            inside = expanded(candidate, head.archive, skipped)
        files += inside
    names = distinct_run_names([(one.run, one.home) for one in files])
    files = [replace(one, run=name) for one, name in zip(files, names, strict=True)]
    known = {candidate.path: head for candidate, head in found}
    members = [one for one in files if one.path not in known]
    known |= dict(zip((one.path for one in members), _heads(members), strict=True))
    return [(one, known[one.path]) for one in files]


def _by_process(candidate: Candidate, head: Head) -> list[tuple[Candidate, Head]]:
    """Return a candidate for each process of a file that holds several, else the only one."""
    if not head.processes:
        return [(candidate, head)]
    name, found = candidate.name, []
    for process in head.processes:
        worker = f"{name.worker} process {dict(process)['process']}"
        one = replace(candidate, name=replace(name, worker=worker))
        found.append((one, replace(head, metadata=(*head.metadata, *process), processes=())))
    return found


def _skip_duplicates(
    readable: list[tuple[Candidate, Head]], skipped: list[tuple[AnyFile | str, str]]
) -> list[tuple[Candidate, Head]]:
    """Skip files that hold the same recording as another file, with the reason."""
    left: dict[int, int] = {}
    for recorder in RECORDERS.specs():
        if recorder.second_forms is not None:
            left |= _find_duplicates(readable, recorder.name, recorder.second_forms)
    for one, other in left.items():
        name = readable[other][0].path.name
        skipped.append((readable[one][0].path, f"contains the same span as {name}"))
    return [candidate for at, candidate in enumerate(readable) if at not in left]


def _find_duplicates(
    readable: list[tuple[Candidate, Head]], format_: str, find: SecondForms
) -> dict[int, int]:
    """Return the index of the file that is read, by the index of its duplicate."""
    places = [at for at, (_, head) in enumerate(readable) if head.format == format_]
    files = [
        ((one.run, one.name.worker, _span(one, head)[0]), one.name.stamp, dict(head.metadata))
        for one, head in (readable[at] for at in places)
    ]
    return {places[one]: places[other] for one, other in find(files).items()}


def _span(candidate: Candidate, head: Head) -> tuple[int, int]:
    """Return the sort key of a span: its number in the file, and the time stamp in its name."""
    return dict(head.metadata).get("span_index", -1), candidate.name.stamp


def _heads(candidates: list[Candidate]) -> list[Head]:
    """Probe files: local ones one after another, remote ones concurrently."""
    if not any(isinstance(candidate.path, RemotePath) for candidate in candidates):
        return [_probe(candidate) for candidate in candidates]
    with ThreadPoolExecutor(_AT_A_TIME, "nbprof-probe") as pool:
        return list(pool.map(_probe, candidates))


def _probe(candidate: Candidate) -> Head:
    look_at_parts = RECORDERS[candidate.recorder].look_at_parts if candidate.recorder else None
    return probe(candidate.path) if look_at_parts is None else look_at_parts(candidate.parts)


def _none_readable(skipped: list[tuple[AnyFile | str, str]], looked_for: str) -> TraceFormatError:
    lines = [f"  {printable(str(path))}: {reason}" for path, reason in skipped[:_LISTED]]
    if len(skipped) > _LISTED:
        lines.append(f"  and {len(skipped) - _LISTED} more")
    where = f" ({looked_for})" if looked_for else ""
    readable = (
        "1 file, but it is not a trace"
        if len(skipped) == 1
        else (f"{len(skipped)} files, but none is a trace")
    )
    return TraceFormatError(
        f"Found {readable} that can be read{where}:\n"
        + "\n".join(lines)
        + f"\nTraces are written by {written_by()}."
    )


def _files(readable: list[tuple[Candidate, Head]]) -> list[TraceFile]:
    workers = _workers(readable)
    groups: dict[tuple[str, str], list[tuple[Candidate, Head]]] = defaultdict(list)
    for (candidate, head), worker in zip(readable, workers, strict=True):
        groups[candidate.run, worker].append((candidate, head))
    ordered = sorted(groups, key=lambda key: _worker_order(key, groups[key][0][1]))
    ranks = _ranks({key: groups[key][0] for key in ordered})
    files = []
    for run, worker in ordered:
        spans = sorted(groups[run, worker], key=lambda one: _span(*one))
        for span, (candidate, head) in enumerate(spans, start=1):
            known = dict(head.metadata)
            files.append(
                TraceFile(
                    run=run,
                    worker=worker,
                    span=span,
                    path=candidate.path,
                    format=head.format,
                    bytes=head.size,
                    rank=ranks[run, worker],
                    world_size=known.get("world_size"),
                    host=str(known.get("host_name", "")) or _host(candidate, head),
                    device_type=head.device_type,
                    devices=", ".join(map(str, head.devices)),
                    parts=_parts(candidate, head),
                    process=known.get("process"),
                )
            )
    return files


def _parts(candidate: Candidate, head: Head) -> tuple[AnyPath, ...]:
    """Return the files of a recording that its profiler writes as a directory."""
    alone = head.is_part and not isinstance(candidate.path, (MemoryFile, ArchiveMember))
    return candidate.parts or ((candidate.path,) if alone else ())  # type: ignore[return-value]


def _host(candidate: Candidate, head: Head) -> str:
    """Return the host in the name of a worker; that of a part names none."""
    return "" if head.is_part else RECORDERS[head.format].host_of(candidate.name.worker)


def _worker_order(key: tuple[str, str], head: Head) -> tuple[object, ...]:
    """Return the sort key of a worker: other files come after the traces of a run."""
    run, worker = key
    return natural_key(run), RECORDERS[head.format].comes_last, natural_key(worker)


def _workers(readable: list[tuple[Candidate, Head]]) -> list[str]:
    """Return worker names; longer ones if two files would be the same span of one worker."""
    candidates = [candidate for candidate, _ in readable]
    stamps = [_span(*one) for one in readable]
    names = _by_format(readable)
    for longer in (_with_rank, _with_ending, _with_path):
        spans = [
            (one.run, name, stamp)
            for one, name, stamp in zip(candidates, names, stamps, strict=True)
        ]
        seen = Counter(spans)
        names = [
            longer(one, name) if seen[span] > 1 else name
            for one, name, span in zip(candidates, names, spans, strict=True)
        ]
    return names


def _by_format(readable: list[tuple[Candidate, Head]]) -> list[str]:
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


def _ranks(first: dict[tuple[str, str], tuple[Candidate, Head]]) -> dict[tuple[str, str], int]:
    """Return the rank of every (run, worker): as given, by metadata, by name, or by order."""
    ranks: dict[tuple[str, str], int] = {}
    taken: dict[str, set[int]] = defaultdict(set)
    for (run, worker), (candidate, head) in first.items():
        stated = (candidate.rank, dict(head.metadata).get("rank"), rank_in_name(worker))
        rank = next((one for one in stated if one is not None), None)
        if rank is not None:
            ranks[run, worker] = rank
            taken[run].add(rank)
    for run, worker in first:
        if (run, worker) not in ranks:
            rank = next(number for number in count() if number not in taken[run])
            ranks[run, worker] = rank
            taken[run].add(rank)
    return ranks
