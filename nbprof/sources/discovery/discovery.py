"""Finds the runs, workers and spans under a source."""

from __future__ import annotations

import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from nbprof.model.errors import TraceFormatError
from nbprof.model.visible_text import printable
from nbprof.sources.discovery.catalog import Catalog, TraceFile
from nbprof.sources.discovery.naming import natural_key
from nbprof.sources.discovery.probing import probe
from nbprof.sources.discovery.runs import distinct_run_names
from nbprof.sources.discovery.search import Search, Source
from nbprof.sources.discovery.source_listing import listing_of
from nbprof.sources.discovery.workers.names import worker_names
from nbprof.sources.discovery.workers.nodes import with_nodes_joined
from nbprof.sources.discovery.workers.ranks import ranks_of
from nbprof.sources.discovery.workers.spans import in_time_order, span_index
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.packed.candidates import expanded
from nbprof.sources.packed.member import ArchiveMember
from nbprof.sources.recorders import RECORDERS, written_by

if TYPE_CHECKING:
    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.discovery.head import Head
    from nbprof.sources.discovery.workers.nodes import Probed
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
    unread = set()
    readable: list[Probed] = []
    for candidate, head in _probed(search.candidates, skipped):
        if head.reason:
            skipped.append((candidate.path, head.reason))
            if candidate.name.expected:
                unread.add(candidate.home)
        else:
            readable += _by_process(candidate, head)
    if not readable:
        raise _none_readable(skipped, search.looked_for)
    readable = with_nodes_joined(_skip_duplicates(readable, skipped), unread)
    return Catalog(_files(readable), skipped, search.looked_for, listing)


def _probed(candidates: list[Candidate], skipped: list[tuple[AnyFile | str, str]]) -> list[Probed]:
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


def _by_process(candidate: Candidate, head: Head) -> list[Probed]:
    """Return a candidate for each process of a file that holds several, else the only one."""
    if not head.processes:
        return [(candidate, head)]
    name, found = candidate.name, []
    for process in head.processes:
        known = dict(process)
        worker = f"{name.worker} {known.get('label') or 'process {process}'.format(**known)}"
        one = replace(candidate, name=replace(name, worker=worker))
        found.append((one, replace(head, metadata=(*head.metadata, *process), processes=())))
    return found


def _skip_duplicates(
    readable: list[Probed], skipped: list[tuple[AnyFile | str, str]]
) -> list[Probed]:
    """Skip files that hold the same recording as another file, with the reason."""
    left: dict[int, int] = {}
    for recorder in RECORDERS.specs():
        if recorder.second_forms is not None:
            left |= _find_duplicates(readable, recorder.name, recorder.second_forms)
    for one, other in left.items():
        name = readable[other][0].path.name
        skipped.append((readable[one][0].path, f"contains the same span as {name}"))
    return [candidate for at, candidate in enumerate(readable) if at not in left]


def _find_duplicates(readable: list[Probed], format_: str, find: SecondForms) -> dict[int, int]:
    """Return the index of the file that is read, by the index of its duplicate."""
    places = [at for at, (_, head) in enumerate(readable) if head.format == format_]
    files = [
        ((one.run, one.name.worker, span_index(head)), one.name.stamp, dict(head.metadata))
        for one, head in (readable[at] for at in places)
    ]
    return {places[one]: places[other] for one, other in find(files).items()}


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


def _files(readable: list[Probed]) -> list[TraceFile]:
    groups: dict[tuple[str, str], list[Probed]] = defaultdict(list)
    for (candidate, head), worker in zip(readable, worker_names(readable), strict=True):
        groups[candidate.run, worker].append((candidate, head))
    ordered = sorted(groups, key=lambda key: _worker_order(key, groups[key][0][1]))
    ranks = ranks_of({key: groups[key] for key in ordered})
    # Files of no rank come after the workers of the job.
    ordered.sort(key=lambda key: (natural_key(key[0]), ranks[key] is None))
    files = []
    for run, worker in ordered:
        spans = in_time_order(groups[run, worker])
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
                    merged=known.get("merged", ()),
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
    """Return the sort key of a worker: files without traces come after the traces of a run."""
    run, worker = key
    return natural_key(run), RECORDERS[head.format].comes_last, natural_key(worker)
