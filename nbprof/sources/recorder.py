"""`Recorder`: the interface of a profiler: its files, how to read them, and its dialect."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from nbprof.model.trace.dialect import PLAIN, Dialect
from nbprof.sources.discovery.head import FileStart, Head
from nbprof.sources.discovery.naming import FileName

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.discovery.directories import FolderSearch
    from nbprof.sources.files.opening import AnyPath
    from nbprof.sources.options import ReadOptions
    from nbprof.sources.progress import Progress


#: Finds duplicates: files that hold the same recording as another file. Its argument has for each
#: file its run, worker and span, a number that orders files by time, and the metadata of its head.
#: It returns the index of the file that is read, by the index of the one that is not.
SecondForms: TypeAlias = (
    "Callable[[Sequence[tuple[object, int, Mapping[str, Any]]]], dict[int, int]]"
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
        What the table ``runs`` calls it in its column ``format``.
    read : callable
        ``read(file, options, *, progress)`` returns the `TraceModel` of a `TraceFile`;
        `nbprof.build_model` makes one of Arrow tables. What ``options`` leave out may be there
        all the same.
    patterns : sequence of str
        What its files are called, such as ``"*.toy.csv"``; for a directory of files its name.
        With one asterisk at the beginning or the end, the rest of a name is the worker's.
    written_by : sequence of (str, str)
        How such files come about, for messages: a call, and the module that has it.
    file_name : callable, optional
        Parses the name of a file, None if it is not a file of this recorder; replaces
        `patterns`.
    look : callable, optional
        ``look(start)`` says what the beginning of a file tells: a `Head`; one with a reason if the
        file is broken, None if another recorder wrote it. By default every file that is called
        so is a trace.
    dialect : Dialect
        What its traces can tell, and the words they use.
    folders : callable, optional
        Makes the search for recordings that are directories of several files.
    look_at_parts : callable, optional
        The same as `look` for the files of such a directory.
    host_of : callable
        Returns the machine in the name of a worker, empty where it does not tell.
    second_forms : callable, optional
        Finds files that hold the same recording as another file.
    device_dialects : mapping of str to Dialect
        The dialects of traces of its types of devices that the general recorder wrote.
    only_memory : bool
        Whether its files hold nothing but memory: in a run they come after the traces.
    general : bool
        Whether it records devices of all kinds in a form that others extend. It is asked last
        whether a file is its own, and its workers keep their plain names.
    """

    registry: ClassVar[str] = "nbprof.sources.recorders:RECORDERS"

    name: str
    read: Reader
    patterns: Sequence[str] = ()
    written_by: Sequence[tuple[str, str]] = ()
    file_name: Callable[[str], FileName | None] | None = None
    look: Callable[[FileStart], Head | None] | None = None
    dialect: Dialect = PLAIN
    folders: Callable[[], FolderSearch] | None = None
    look_at_parts: Callable[[Sequence[AnyPath]], Head] | None = None
    host_of: Callable[[str], str] = _unnamed
    second_forms: SecondForms | None = None
    device_dialects: Mapping[str, Dialect] = field(default_factory=dict)
    only_memory: bool = False
    general: bool = False

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
