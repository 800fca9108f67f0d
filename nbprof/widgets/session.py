"""`Session`: the profile and the cached tables that the request handlers of one view read."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nbprof.defaults import options
from nbprof.model.errors import (
    ExtensionWarning,
    FilterError,
    NbprofError,
    TraceFormatError,
    TraceNotFoundError,
)
from nbprof.model.filters.filter import Filter
from nbprof.model.steps.step_choice import checked_pattern
from nbprof.ranks.comparison import TABLES as DISTRIBUTED
from nbprof.tables import TABLES
from nbprof.tables.trace import compute_table
from nbprof.widgets.profile_source import Readable, Shown, check_shown, open_source
from nbprof.widgets.requests.protocol import RequestError
from nbprof.widgets.table_cache import RecentCache

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.ranks.comparison import Distributed
    from nbprof.trace import Trace

T = TypeVar("T")

#: Maximum number of cached tables: those of several views under the last few filters.
CACHED_TABLES: Final = 48
#: Maximum bytes of cached tables; a table of all slices is as large as the trace.
CACHED_BYTES: Final = 512 * 1024 * 1024

#: Called with bytes read, total bytes, and a description of what is being read.
Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class State:
    """The trace, the filter and the steps that a request refers to.

    Parameters
    ----------
    run, worker : str
        Empty for the first.
    span : int
        0 for the first.
    filter : Filter
        The filter.
    step : str, optional
        Annotations to use as steps; empty for those that the recorder marked. None for the setting
        of the source.
    """

    run: str = ""
    worker: str = ""
    span: int = 0
    filter: Filter = field(default_factory=Filter)
    step: str | None = None

    @classmethod
    def parse(cls, plain: object) -> State:
        """Read the ``state`` of a request.

        Raises
        ------
        RequestError
            It is not an object with run, worker, span and filter.
        FilterError
            The filter cannot be applied.
        """
        if not isinstance(plain, Mapping):
            message = f"The state of a request must be an object, not {type(plain).__name__}."
            raise RequestError(message)
        run, worker, span = (
            plain.get(k) or d for k, d in (("run", ""), ("worker", ""), ("span", 0))
        )
        fields, step = plain.get("filter") or {}, plain.get("step")
        if not (isinstance(run, str) and isinstance(worker, str) and isinstance(span, int)):
            message = f"There is no such run, worker and span as {run!r}, {worker!r}, {span!r}."
            raise RequestError(message)
        if not isinstance(fields, Mapping):
            message = f"The filter of a request must be an object, not {type(fields).__name__}."
            raise RequestError(message)
        if step is not None:
            step = checked_pattern(step) or ""
        return cls(run, worker, span, Filter.from_dict(fields), step)


class Session:
    """The profile behind a view, or the reason why there is none.

    Parameters
    ----------
    source : path, glob, list, dict, Profile or Trace
        The source passed to `show`. If nothing can be read, `failure` holds the reason and
        `refresh` tries again: in a notebook this is a state of the view and does not end the cell.
    """

    def __init__(self, source: Shown) -> None:
        self.source: Shown | None = check_shown(source)
        self.failure: NbprofError | None = None
        self.on_refresh: list[Callable[[], None]] = []
        self._lock = threading.Lock()
        self._tables = RecentCache(CACHED_TABLES, CACHED_BYTES)
        self._readable: Readable | None = None
        self._by_step: dict[str | None, Readable] = {}
        self._open()

    @property
    def readable(self) -> Readable:
        """The profile.

        Raises
        ------
        TraceNotFoundError, TraceFormatError
            There is none.
        NbprofError
            The view is closed.
        """
        readable = self._readable
        if readable is None:
            raise self._reason()
        return readable

    @property
    def step(self) -> str:
        """The annotations used as steps by the source; empty for those that were marked."""
        return (self._readable.step or "") if self._readable is not None else ""

    @property
    def available(self) -> Readable | None:
        """The profile, or None without one."""
        return self._readable

    def readable_by(self, state: State) -> Readable:
        """Return the profile with the steps of a state.

        Raises
        ------
        NbprofError
            There is none, as for `readable`.
        """
        readable, step = self.readable, state.step or None
        if state.step is None or step == readable.step:
            return readable
        with self._lock:
            if step not in self._by_step:
                self._by_step = {step: readable.with_step(step)}  # only this one is cached
            return self._by_step[step]

    def refresh(self) -> None:
        """Look for files again; unchanged files stay read."""
        with self._lock:
            self._by_step.clear()
            if self._readable is None:
                self._open()
            else:
                self._readable.refresh()
            self._tables.clear()
        for tell in self.on_refresh:
            tell()

    def trace(self, state: State, progress: Progress | None = None) -> Trace:
        """Return the trace of a state under its filter.

        Parameters
        ----------
        state : State
            Which trace and filter.
        progress : callable, optional
            Called with the progress of reading if the file has not been read yet.
        """
        readable = self.readable_by(state)
        trace = readable.trace(state.run or None, state.worker or None, state.span or None)
        if state.step:
            trace = _with_steps(trace, progress)
        if progress is not None and not trace.is_read:
            trace.read(progress=progress)
        return trace.filter(state.filter)

    def table(
        self, state: State, name: str, group_by: str = "", progress: Progress | None = None
    ) -> pa.Table:
        """Return a table of a state, cached.

        Parameters
        ----------
        state : State
            Which trace and filter.
        name : str
            A table of the contract.
        group_by : str
            One of its groupings; empty for tables without.
        progress : callable, optional
            Told how far reading has come.
        """
        if name in DISTRIBUTED:
            return self.distributed(state, progress).table(name)
        trace = self.trace(state, progress)
        grouping = {"group_by": group_by} if group_by else {}
        key = (*_identity(trace), state.filter, name, group_by)
        return self._tables.get(key, lambda: _table_of(trace, name, grouping))

    def distributed(self, state: State, progress: Progress | None = None) -> Distributed:
        """Return the workers of a state's run side by side, reading traces as needed.

        Parameters
        ----------
        state : State
            Which run, span and filter.
        progress : callable, optional
            Told how far reading has come.
        """
        trace = self.trace(state)
        readable = self.readable_by(state)
        files = [(f.worker, f.span, f.bytes) for f in readable.files if f.run == trace.run]
        rules = options.communication_names
        return self._tables.get(
            ("workers", trace.run, trace.span, trace.step, state.filter, rules, *files),
            lambda: readable._distributed(
                trace.run, state.filter, span=trace.span, progress=progress or False
            ),
        )

    def cached(self, trace: Trace, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """Return the value cached for a trace under a key, computing it if missing."""
        return self._tables.get((*_identity(trace), *key), make)

    def close(self) -> None:
        """Release the profile and all tables."""
        with self._lock:
            self._readable = None
            self._by_step.clear()
            self.source = None
            self.on_refresh.clear()
            self._tables.clear()

    def _open(self) -> None:
        if self.source is None:
            return
        try:
            self._readable = open_source(self.source)
            self.failure = None
        except (TraceNotFoundError, TraceFormatError) as error:
            self.failure = error

    def _reason(self) -> NbprofError:
        if self.failure is not None:
            return self.failure
        return NbprofError("This view is closed. Call nbprof.show() again.")


def _table_of(trace: Trace, name: str, grouping: Mapping[str, str]) -> pa.Table:
    """Return a table of a trace.

    Raises
    ------
    NbprofError
        The table belongs to another package and could not be computed.
    """
    try:
        return compute_table(trace, name, **grouping)
    except Exception as error:
        if TABLES.is_own(name) or isinstance(error, NbprofError):
            raise
        words = f"The table {name!r} could not be computed: {type(error).__name__}: {error}"
        warnings.warn(words, ExtensionWarning, stacklevel=2)
        raise NbprofError(words) from error


def _with_steps(trace: Trace, progress: Progress | None) -> Trace:
    """Return a trace with the chosen steps, or as a whole if it has none of them."""
    try:
        return trace.read(progress=progress)
    except FilterError:
        return trace.with_step(None)


def _identity(trace: Trace) -> tuple[Any, ...]:
    """Return a key that identifies a trace with its steps and communication rules.

    A file that was rewritten gets another key.
    """
    under = trace.step, options.communication_names
    return trace.run, trace.worker, trace.span, trace.path, trace.file.bytes, *under
