"""`Catalog`: the trace files that were found, and the files that were skipped with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nbprof.sources.discovery.listing import Listing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.sources.files.opening import AnyFile, AnyPath


@dataclass(frozen=True)
class TraceFile:
    """One worker and span of a run; the fields are the columns of the table ``runs``.

    Attributes
    ----------
    run : str
        Directory relative to the searched directory, or its base name.
    worker : str
        Process, from the file name.
    span : int
        Recorded window of the worker, in time order from 1.
    path : Path, RemotePath, MemoryFile or ArchiveMember
        The file, or the directory of its parts.
    format : str
        The name of the recorder that wrote it.
    bytes : int
        Its size on disk, of all parts together.
    rank : int or None
        From the file's metadata, else its name, else its position among the workers. None if the
        file is beside the workers of the job: a recording of memory, or the trace of a front end.
    world_size : int or None
        Processes in the job, if the file says so.
    host : str
        Machine, empty if the file does not say.
    device_type : str
        cpu, gpu, …; empty if neither end of the file shows it.
    devices : str
        Numbers of the devices that the file describes, such as ``"0, 1"``.
    parts : tuple of path
        The files that are read, where they are several.
    process : int or None
        The process that is read, where a file holds several.
    merged : tuple of (tuple of str)
        The processes of every rank, by `process`, where traces of several were merged into the
        file.
    """

    run: str
    worker: str
    span: int
    path: AnyFile
    format: str
    bytes: int
    rank: int | None
    world_size: int | None
    host: str
    device_type: str
    devices: str
    parts: tuple[AnyPath, ...] = ()
    process: int | None = None
    merged: tuple[tuple[str, ...], ...] = ()


def in_jobs(files: Sequence[TraceFile]) -> list[TraceFile]:
    """Return the files of workers of the jobs: those with a rank; of a run without any, all."""
    runs = {file.run for file in files if file.rank is not None}
    return [file for file in files if file.rank is not None or file.run not in runs]


@dataclass(frozen=True)
class Catalog:
    """The traces and other files that were found under a source.

    Attributes
    ----------
    files : list of TraceFile
        By run, worker and span.
    skipped : list of (path, str)
        Files that are not traces or cannot be read, with the reason.
    looked_for : str
        Description of the directories and names that were searched.
    listing : Listing
        What the search listed, before any file was opened.
    """

    files: list[TraceFile]
    skipped: list[tuple[AnyFile | str, str]] = field(default_factory=list)
    looked_for: str = ""
    listing: Listing = field(default_factory=Listing)
