"""The public face: `Profile`, a log directory, and `Trace`, one worker and span of it."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import pyarrow as pa

from nbprof.content import content_of, stamp_of
from nbprof.model import contract
from nbprof.model.errors import TraceFormatError, UnknownNameError
from nbprof.model.reprs import html_table
from nbprof.model.table import make_table
from nbprof.sources import discover
from nbprof.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from nbprof.content import TraceContent
    from nbprof.model.trace_model import TraceModel
    from nbprof.sources import TraceFile

PathLike: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike]"
#: Whether and how to tell how far reading has come: a bar where it takes over a second, never, or
#: a function that is called with (bytes done, bytes in all, what is being read).
Progress: TypeAlias = "Literal['auto', False] | Callable[[int, int, str], None]"


def load(source: Source, *, strict: bool = False, progress: Progress = "auto") -> Profile:
    """Find the profiles under a source; each is read when it is first used.

    Parameters
    ----------
    source : path, glob, list of paths, or dict of rank to path
        A log directory (searched with its subdirectories), one trace file, or several.
    strict : bool
        Raise on the first irregularity in a file instead of repairing and counting it.
    progress : "auto", False or callable
        ``"auto"`` shows a bar for reads that take over a second.

    Returns
    -------
    Profile

    Raises
    ------
    TraceNotFoundError
        Nothing there looks like a profile.
    TraceFormatError
        Files matched, and none of them could be read.
    """
    return Profile(source, strict=strict, progress=progress)


class Profile:
    """The profiles under one source: runs, their workers, and their spans.

    Iterating gives the traces. Discovery reads heads only. Made by `nbprof.load`.
    """

    def __init__(
        self, source: Source, *, strict: bool = False, progress: Progress = "auto"
    ) -> None:
        self.source = source
        self._strict = strict
        self._progress = progress
        self._lock = threading.RLock()
        self._traces: dict[tuple[str, str, int, str], Trace] = {}
        self._broken: dict[str, str] = {}
        self._catalog = discover(source)

    @property
    def files(self) -> list[TraceFile]:
        """The trace files that can be read, in the order of runs, workers and spans."""
        return [file for file in self._catalog.files if str(file.path) not in self._broken]

    def runs(self) -> pa.Table:
        """Return one row per run, worker and span (table ``runs`` of the contract)."""
        names = [column.name for column in contract.RUNS]
        rows = [[_plain(getattr(file, name)) for name in names] for file in self.files]
        columns = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in names]
        return make_table(contract.RUNS, dict(zip(names, columns, strict=True)))

    def skipped(self) -> pa.Table:
        """Return the files that were not read and why (table ``skipped``)."""
        rows = [(str(path), reason) for path, reason in self._catalog.skipped]
        rows += self._broken.items()
        data = {"path": [path for path, _ in rows], "reason": [reason for _, reason in rows]}
        return make_table(contract.SKIPPED, data)

    def refresh(self) -> Profile:
        """Look again for files that have come, changed or gone; what is unchanged stays read."""
        with self._lock:
            self._catalog = discover(self.source)
            self._broken.clear()
            present = {_key(file): file for file in self._catalog.files}
            self._traces = {
                key: trace
                for key, trace in self._traces.items()
                if key in present
                and trace.content.stamp == stamp_of(present[key], strict=self._strict)
            }
        return self

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return one trace; run, worker and span default to the first there is.

        Raises
        ------
        UnknownNameError
            There is no such run, worker or span.
        TraceFormatError
            No readable file is left.
        """
        found = self.files
        if not found:
            message = f"No readable profile is left in {self.source}; see profile.skipped()."
            raise TraceFormatError(message)
        for field, wanted in (("run", run), ("worker", worker), ("span", span)):
            names = list(dict.fromkeys(getattr(file, field) for file in found))
            name = names[0] if wanted is None else wanted
            if name not in names:
                message = f"There is no {field} {name!r}; there are {_some(names)}."
                raise UnknownNameError(message)
            found = [file for file in found if getattr(file, field) == name]
        return self._open(found[0])

    def __iter__(self) -> Iterator[Trace]:
        """Go through all traces, in the order of runs, workers and spans."""
        return iter([self._open(file) for file in self.files])

    def __len__(self) -> int:
        """Return how many traces there are."""
        return len(self.files)

    def device_time(self, run: str | None = None, *, workers: Sequence[str] = ()) -> pa.Table:
        """Return ``device_time`` of every worker of a run (first span), a row per device.

        Parameters
        ----------
        run : str, optional
            The first run by default.
        workers : sequence of str
            Only these workers.

        Raises
        ------
        UnknownNameError
            There is no such run or worker.
        """
        run = self.trace(run).run
        names = dict.fromkeys(file.worker for file in self.files if file.run == run)
        for worker in workers:
            if worker not in names:
                message = f"Run {run!r} has no worker {worker!r}; it has {_some(list(names))}."
                raise UnknownNameError(message)
        chosen = [name for name in names if not workers or name in workers]
        return pa.concat_tables([self.trace(run, name).device_time() for name in chosen])

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table of the profile by its name: runs, skipped or device_time.

        Raises
        ------
        UnknownNameError
            There is no such table.
        """
        if name not in PROFILE_TABLES:
            message = f"A profile has no table {name!r}; it has {_some(list(PROFILE_TABLES))}."
            raise UnknownNameError(message)
        made: pa.Table = getattr(self, name)(**options)
        return made

    def _open(self, file: TraceFile) -> Trace:
        with self._lock:
            key = _key(file)
            if key not in self._traces:
                content = content_of(file, strict=self._strict)
                self._traces[key] = Trace(file, content, self._read)
            return self._traces[key]

    def _read(self, content: TraceContent, progress: Progress | None) -> TraceModel:
        """Read a file in full; one that breaks now joins the skipped ones."""
        chosen = self._progress if progress is None else progress
        try:
            return content.read(chosen)
        except TraceFormatError as error:
            path, reason = str(content.file.path), str(error)
            self._broken[path] = reason
            if path in reason:
                raise
            message = f"{path}: {reason}"
            raise TraceFormatError(message) from error

    def __repr__(self) -> str:
        """Return one line: where, and how much is there."""
        files = self.files
        runs = len({file.run for file in files})
        workers = len({(file.run, file.worker) for file in files})
        parts = [_count(runs, "run"), _count(workers, "worker"), _count(len(files), "trace")]
        skipped = self.skipped().num_rows
        if skipped:
            parts.append(f"{skipped} skipped")
        return f"<nbprof.Profile {self.source!s}: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Return the runs as a small table."""
        columns = ("run", "worker", "span", "format", "device_type", "bytes", "path")
        return html_table(self.runs(), repr(self).strip("<>"), columns)


#: The tables that a profile has by itself.
PROFILE_TABLES = ("runs", "skipped", "device_time")


def _key(file: TraceFile) -> tuple[str, str, int, str]:
    return file.run, file.worker, file.span, str(file.path)


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, os.PathLike) else value


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"


def _some(names: Sequence[object], limit: int = 12) -> str:
    shown = ", ".join(repr(name) for name in names[:limit])
    return shown + (f" and {len(names) - limit} more" if len(names) > limit else "")
