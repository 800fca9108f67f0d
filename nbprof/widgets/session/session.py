"""`Session`: the profile and the cached tables that the request handlers of one view read."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nbprof.defaults import options
from nbprof.model.contract.table import with_beside
from nbprof.model.errors import FilterError, NbprofError, TraceFormatError, TraceNotFoundError
from nbprof.ranks.table_names import DISTRIBUTED
from nbprof.sources.files.shared_names import SharedNames
from nbprof.widgets.session.baseline import OTHER
from nbprof.widgets.session.profile_source import (
    Readable,
    Shown,
    check_shown,
    given_source,
    open_source,
)
from nbprof.widgets.session.table_cache import RecentCache
from nbprof.widgets.session.trace_tables import cache_key, table_of, words_beside
from nbprof.widgets.watching.file_check import FileCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.ranks.comparison import Distributed
    from nbprof.trace import Trace
    from nbprof.widgets.session.state import State
    from nbprof.widgets.watching.file_check import Changes

T = TypeVar("T")

#: Maximum number of cached tables: those of several views under the last few filters.
CACHED_TABLES: Final = 48
#: Maximum bytes of cached tables; a table of all slices is as large as the trace.
CACHED_BYTES: Final = 512 * 1024 * 1024

#: Called with bytes read, total bytes, and a description of what is being read.
Progress = Callable[[int, int, str], None]


class Session:
    """The profile behind a view, or the reason why there is none.

    Parameters
    ----------
    source : path, glob, list, dict, Profile or Trace
        The source passed to `show`. If nothing can be read, `failure` holds the reason and
        `refresh` tries again: in a notebook this is a state of the view and does not end the cell.
    private : bool, optional
        Whether the paths of Python frames are shortened to their package.

    Attributes
    ----------
    names : SharedNames
        Names of files for notebooks and pages that are shared.
    """

    def __init__(self, source: Shown, private: bool = False) -> None:
        self.source: Shown | None = check_shown(source)
        self._other: Readable | None = None
        self._other_source: Shown | None = None
        #: Fields of the filter that baselines of the other source have for themselves.
        self.own_conditions: dict[str, Any] = {}
        self.private = private
        self.names = SharedNames(given_source(self.source))
        self.failure: NbprofError | None = None
        self.on_refresh: list[Callable[[], None]] = []
        #: Called with the state that shows the same after the sources have changed places.
        self.on_swap: list[Callable[[State], None]] = []
        #: Called after a file could not be read, which the profile then skips.
        self.on_unreadable: list[Callable[[], None]] = []
        #: Returns the state of the view as plain values, for pages; None without a view.
        self.traits: Callable[[], dict[str, Any]] | None = None
        self._lock = threading.Lock()
        self._tables = RecentCache(CACHED_TABLES, CACHED_BYTES)
        self._readable: Readable | None = None
        self._by_step: dict[str, Readable] = {}
        self.files = FileCheck()
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
    def failure_text(self) -> str:
        """Why nothing can be read, for outputs that are shared; empty if something can."""
        return self.names.text(str(self.failure or ""))

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
        return self._by(self.readable, state)

    def _by(self, readable: Readable, state: State) -> Readable:
        """Return a source with the steps of a state."""
        step = state.step or None
        if state.step is None or step == readable.step:
            return readable
        of = OTHER if readable is self._other else ""
        with self._lock:
            known = self._by_step.get(of)
            if known is None or known.step != step:  # only this one is cached
                known = self._by_step[of] = readable.with_step(step)
            return known

    def refresh(self) -> None:
        """Look for files again; unchanged files stay read."""
        with self._lock:
            self._by_step.clear()
            if self._readable is None:
                self._open()
            else:
                self.files.refresh(self._readable)
            if self._other is not None:
                self._other.refresh()
            self._tables.clear()
        for tell in self.on_refresh:
            tell()

    def changes(self) -> Changes | None:
        """Compare the files that the source lists now with those found; None if that is slow."""
        if self._readable is None:
            return self.files.changes(self.source, None)
        return self.files.changes(self._readable._source, self._readable._listing)  # noqa: SLF001

    def trace(self, state: State, progress: Progress | None = None) -> Trace:
        """Return the trace of a state under its filter.

        Parameters
        ----------
        state : State
            Which trace and filter.
        progress : callable, optional
            Called with the progress of reading if the file has not been read yet.
        """
        return self._read(self.readable_by(state), state, progress)

    def _read(self, readable: Readable, state: State, progress: Progress | None) -> Trace:
        """Return the trace of a state from a source, read if its progress is reported."""
        trace = readable.trace(state.run or None, state.worker or None, state.span or None)
        try:
            if state.step:
                trace = _with_steps(trace, progress)
            if progress is not None and not trace.is_read:
                trace.read(progress=progress)
        except TraceFormatError:
            for tell in self.on_unreadable:
                tell()
            raise
        if self.private:
            trace = trace.with_private_frames()
        return trace.filter(state.filter)

    def baseline(self, state: State, progress: Progress | None = None) -> Trace | None:
        """Return the trace that a state is compared with, under its filter; None without one.

        Raises
        ------
        NbprofError
            There is no such trace, or it cannot be read.
        """
        named = state.baseline
        if named is None:
            return None
        of_step = replace(state, run=named.run, worker=named.worker, span=named.span)
        if not named.source:
            return self.trace(of_step, progress)
        if self._other is None:
            message = "There is no other source to compare with: pass it to show() as baseline."
            raise NbprofError(message)
        own = replace(of_step, filter=state.filter.replace(**self.own_conditions))
        return self._read(self._by(self._other, own), own, progress)

    def compare_with(self, other: Shown | None, own: Mapping[str, Any] | None = None) -> None:
        """Take another source that holds baselines, see `Baseline.source`; None for none.

        Parameters
        ----------
        other : path, Profile or Trace, optional
            The source.
        own : mapping, optional
            Fields of `Filter` that apply to its traces in place of those of the view.

        Raises
        ------
        TraceNotFoundError, TraceFormatError
            Nothing in it can be read.
        """
        checked = None if other is None else check_shown(other)
        self._other = None if checked is None else open_source(checked)
        self._other_source = checked
        self.own_conditions = dict(own or {})
        if checked is not None:
            self.names = SharedNames(given_source(self.source), given_source(checked))

    def exchange(self, own: Mapping[str, Any]) -> None:
        """Let both sources change places; `own` is what new baselines have for themselves."""
        with self._lock:
            self._readable, self._other = self._other, self._readable
            self.source, self._other_source = self._other_source, self.source
            self.own_conditions = dict(own)
            self._by_step.clear()
            self._tables.clear()

    def baselines(self) -> dict[str, Readable]:
        """Return the sources that hold baselines, by `Baseline.source`."""
        found = {"": self._readable, OTHER: self._other}
        return {name: readable for name, readable in found.items() if readable is not None}

    def has_baselines(self, trace: Trace) -> bool:
        """Return whether there are other traces that a trace can be compared with."""
        own = trace.run, trace.worker, trace.span
        files = self.readable.files
        others = any((one.run, one.worker, one.span) != own for one in files)
        return others or OTHER in self.baselines()

    def in_private(self) -> Session:
        """Return a session of the same profile that shortens the paths of Python frames."""
        if self.private:
            return self
        session = copy.copy(self)
        session.private = True
        session._tables = RecentCache(CACHED_TABLES, CACHED_BYTES)  # noqa: SLF001 - of this class
        return session

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
            Called with the progress of reading.
        """
        if name in DISTRIBUTED:
            return self.distributed(state, progress).table(name)
        if beside := words_beside(state.filter, name):
            whole = replace(state, filter=state.filter.of_devices)
            return with_beside(self.table(whole, name, group_by, progress), beside)
        trace = self.trace(state, progress)
        grouping = {"group_by": group_by} if group_by else {}
        key = (*cache_key(trace), state.filter, name, group_by)
        return self._tables.get(key, lambda: table_of(trace, name, grouping))

    def distributed(self, state: State, progress: Progress | None = None) -> Distributed:
        """Return the workers of a state's run side by side, reading traces as needed.

        Parameters
        ----------
        state : State
            Which run, span and filter.
        progress : callable, optional
            Called with the progress of reading.
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
        return self._tables.get((*cache_key(trace), *key), make)

    def close(self) -> None:
        """Release the profile and all tables."""
        with self._lock:
            self._readable = None
            self._by_step.clear()
            self.source = self._other = self._other_source = None
            self.on_refresh.clear()
            self.on_swap.clear()
            self.on_unreadable.clear()
            self.traits = None
            self._tables.clear()

    def _open(self) -> None:
        if self.source is None:
            return
        try:
            with self.files.refreshing(self.source):
                self._readable = open_source(self.source)
            self.failure = None
        except (TraceNotFoundError, TraceFormatError) as error:
            self.failure = error

    def _reason(self) -> NbprofError:
        if self.failure is not None:
            return self.failure
        return NbprofError("This view is closed. Call nbprof.show() again.")


def _with_steps(trace: Trace, progress: Progress | None) -> Trace:
    """Return a trace with the chosen steps, or as a whole if it has none of them."""
    try:
        return trace.read(progress=progress)
    except FilterError:
        return trace.with_step(None)
