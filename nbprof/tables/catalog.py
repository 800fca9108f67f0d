"""Tables `runs` and `skipped`: the traces found under a source, and the files left out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.contract.columns import Columns, count, text
from nbprof.model.contract.spec import TableSpec
from nbprof.model.contract.table import make_table
from nbprof.model.contract.trace_key import TRACE_KEY
from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import some_names
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.packed.member import ArchiveMember
from nbprof.tables.methods import TRACE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.profiles import Profile
    from nbprof.sources import TraceFile

RUNS: Final[Columns] = (
    *TRACE_KEY,
    text("format", "Profiler that wrote the file."),
    text("path", "Path of the file."),
    count("bytes", "Size of the file.", "bytes"),
    count("rank", "Rank of the process in its job; empty for a file beside its ranks."),
    count("world_size", "Processes in the job."),
    text("host", "Host that the process ran on."),
    text("device_type", "Device that the process used: cpu, gpu, npu, …"),
    text("devices", "Numbers of the devices that the file describes."),
)

SKIPPED: Final[Columns] = (
    text("path", "Path of the file."),
    text("reason", "Why it was not read."),
)


def runs(
    profile: Profile,
    _: Filter,
    *,
    run: str | None = None,
    span: int | None = None,
    workers: str | Sequence[str] | None = None,
) -> pa.Table:
    """Return one row per run, worker and span.

    Raises
    ------
    UnknownNameError
        There is no such run, worker or span.
    """
    names = None if workers is None else [workers] if isinstance(workers, str) else list(workers)
    wanted = {"run": run and [run], "worker": names, "span": span and [span]}
    files = profile.files
    for field, values in wanted.items():
        files = _matching(files, field, values) if values else files
    data = {c.name: [_plain(getattr(file, c.name)) for file in files] for c in RUNS}
    return make_table(RUNS, data)


def skipped(profile: Profile, _: Filter) -> pa.Table:
    """Return the files that were not read and why."""
    rows = profile._unreadable
    return make_table(SKIPPED, {"path": [p for p, _ in rows], "reason": [r for _, r in rows]})


def _matching(files: Sequence[TraceFile], field: str, wanted: Sequence[Any]) -> list[TraceFile]:
    known = list(dict.fromkeys(getattr(file, field) for file in files))
    for value in wanted:
        if value not in known:
            message = f"There is no {field} {value!r}; there are {some_names(known)}."
            raise UnknownNameError(message)
    return [file for file in files if getattr(file, field) in wanted]


def _plain(value: Any) -> Any:
    paths = (os.PathLike, RemotePath, MemoryFile, ArchiveMember)
    return str(value) if isinstance(value, paths) else value


RUNS_TABLE: Final = TableSpec(
    name="runs",
    summary="one row per run, worker and span",
    columns=RUNS,
    make=runs,
    scope="profile",
    options=TRACE_OPTIONS,
    filtered=False,
)

SKIPPED_TABLE: Final = TableSpec(
    name="skipped",
    summary="the files that were not read and why",
    columns=SKIPPED,
    make=skipped,
    scope="profile",
    filtered=False,
)
