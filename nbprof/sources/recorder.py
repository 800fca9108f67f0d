"""`Recorder`: the interface of a profiler: its files, how to read them, and its dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from nbprof.model.trace.dialect import PLAIN, Dialect
from nbprof.registry import resolved
from nbprof.sources.discovery.head import FileStart, Head
from nbprof.sources.discovery.naming import FileName

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.discovery.directories import FolderSearch
    from nbprof.sources.files.opening import AnyFile, AnyPath
    from nbprof.sources.live.memory_file import MemoryFile
    from nbprof.sources.options import ReadOptions
    from nbprof.sources.other_files import OtherFile
    from nbprof.sources.progress import Progress


#: Finds duplicates, files that hold the same recording as another file. The argument has an entry
#: for each file: its run, worker and span, a number that orders files by time, and the metadata of
#: its head. The result maps the index of each duplicate to that of the file that is read instead.
SecondForms: TypeAlias = (
    "Callable[[Sequence[tuple[object, int, Mapping[str, Any]]]], dict[int, int]]"
)


#: What a profiler object recorded: files that the profiler wrote, or files in memory.
LiveRecording: TypeAlias = (
    "str | os.PathLike[str] | MemoryFile | Sequence[str | os.PathLike[str] | MemoryFile]"
)


class Reader(Protocol):
    """Function that reads one file, or one directory of files, into a model."""

    def __call__(self, file: TraceFile, options: ReadOptions, *, progress: Progress) -> TraceModel:
        """Return the model, or raise `TraceFormatError` with the reason."""


def _unnamed(worker: str) -> str:  # noqa: ARG001 - names of workers tell no machine
    return ""


@dataclass(frozen=True, kw_only=True)
class Recorder:
    """A profiler whose recordings nbprof reads: how they are found, read and described.

    Parameters
    ----------
    name : str
        Name of the recorder, as in the column ``format`` of the table ``runs``.
    read : callable or str
        ``read(file, options, *, progress)`` returns the `TraceModel` of a `TraceFile`;
        `nbprof.build_model` builds one from Arrow tables. The model may contain more than
        ``options`` select. A string is its place, ``"module:function"``, which is imported when the
        first file is read.
    patterns : sequence of str
        Patterns of file names, such as ``"*.toy.csv"``; for directories of files, of the names of
        directories. If an asterisk is at one end of the pattern, it matches the worker's name.
    written_by : sequence of (str, str)
        Calls that write such files, each with its module, for messages.
    file_name : callable, optional
        Parses the name of a file, None if it is not a file of this recorder; replaces
        `patterns`.
    look : callable, optional
        ``look(start)`` probes the beginning of a file and returns its `Head`, with a reason if the
        file is broken; None if another recorder wrote it. By default, every file whose name
        matches is a trace.
    live : mapping of str to (callable or str)
        The classes of its objects that `nbprof.load` accepts, by qualified name, such as
        ``"torch.profiler.profiler.profile"``; objects of derived classes are accepted, too. Each
        with ``take(object)``, or its place, which returns what the object recorded: paths, or
        `nbprof.MemoryFile` objects. It raises `nbprof.SourceError` with advice if the object holds
        no recording. It is called again when the profile is refreshed, and should then return the
        same object for the same recording.
    claims : callable, optional
        ``claims(object)`` returns whether an object of one of these classes is a recording of this
        recorder, where others have the same class; by default, all are.
    dialect : Dialect
        The capabilities and the vocabulary of its traces.
    folders : callable, optional
        Creates the search for recordings that are directories of several files.
    look_at_parts : callable, optional
        As `look`, for the files of such a directory.
    host_of : callable
        Returns the host in the name of a worker; empty if there is none.
    second_forms : callable, optional
        Finds files that hold the same recording as another file.
    device_dialects : mapping of str to Dialect
        Dialects, by device type, for traces of these devices that the general recorder wrote.
    is_whole : callable or str, optional
        ``is_whole(path)``, or its place, returns whether the end of a file is there, by a look at
        its ends that is much faster than `read`; false also where only reading tells. Without it,
        reading tells.
    others : sequence of OtherFile
        Further files of this profiler, which nbprof does not read; messages say what to do.
    only_memory : bool
        Whether its files contain only memory; such files come after the traces of a run.
    accompanies_traces : bool
        Whether its files contain something else than a trace, such as sums over functions; they,
        too, come after the traces of a run.
    view : str
        The view that `nbprof.show` opens first for its files; by default the first of all.
    general : bool
        Whether it records all kinds of devices in a format that others extend. It probes files
        last, and its workers keep their plain names.
    """

    registry: ClassVar[str] = "nbprof.sources.recorders:RECORDERS"

    name: str
    read: Reader | str
    patterns: Sequence[str] = ()
    written_by: Sequence[tuple[str, str]] = ()
    file_name: Callable[[str], FileName | None] | None = None
    look: Callable[[FileStart], Head | None] | None = None
    live: Mapping[str, Callable[[Any], LiveRecording] | str] = field(default_factory=dict)
    claims: Callable[[Any], bool] | None = None
    dialect: Dialect = PLAIN
    folders: Callable[[], FolderSearch] | None = None
    look_at_parts: Callable[[Sequence[AnyPath]], Head] | None = None
    host_of: Callable[[str], str] = _unnamed
    second_forms: SecondForms | None = None
    device_dialects: Mapping[str, Dialect] = field(default_factory=dict)
    is_whole: Callable[[AnyFile], bool] | str | None = None
    others: Sequence[OtherFile] = ()
    only_memory: bool = False
    accompanies_traces: bool = False
    view: str = ""
    general: bool = False

    @property
    def reader(self) -> Reader:
        """The function that reads files, imported if `read` is its place."""
        return resolved(self.read)

    @property
    def comes_last(self) -> bool:
        """Whether its files come after the traces of a run."""
        return self.only_memory or self.accompanies_traces

    def parse_name(self, name: str) -> FileName | None:
        """Parse the name of a file; None if it is not a file of this recorder."""
        if self.file_name is not None:
            return self.file_name(name)
        for pattern in self.patterns:
            before, star, after = pattern.partition("*")
            fits = len(name) >= len(before) + len(after)
            if fits and star and name.startswith(before) and name.endswith(after):
                worker = name[len(before) : len(name) - len(after)]
                return FileName(worker or name, -1, expected=True)
            if name == pattern:
                return FileName(name, -1, expected=True)
        return None

    def look_at(self, start: FileStart) -> Head | None:
        """Probe the beginning of a file; None if another recorder wrote it."""
        if self.look is not None:
            return self.look(start)
        named = self.parse_name(start.name) is not None
        return Head(format=self.name, size=start.size) if named else None
