"""Opens the sources that `show` accepts (profile, trace, paths) behind one interface."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.profiles import Profile
from nbprof.sources.discovery.source_argument import checked_source
from nbprof.trace import Trace

if TYPE_CHECKING:
    from nbprof.profiles import Source
    from nbprof.ranks.comparison import Distributed
    from nbprof.sources import TraceFile

#: Types that `show` accepts.
Shown: TypeAlias = "Source | Profile | Trace"


class OneTrace:
    """A single trace with the part of the interface of `Profile` that views need.

    Parameters
    ----------
    trace : Trace
        Its filter is removed, because it becomes the filter of the view.
    """

    #: No directory was searched, so there is nothing to compare.
    _listing = None
    _source = None

    def __init__(self, trace: Trace) -> None:
        self._trace = trace.filter(Filter())
        self.source = trace.path
        self._options = trace._options

    @property
    def files(self) -> list[TraceFile]:
        """The file of the trace."""
        return [self._trace.file]

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return the trace.

        Raises
        ------
        UnknownNameError
            Another trace is requested.
        """
        for field, wanted in (("run", run), ("worker", worker), ("span", span)):
            name = getattr(self._trace, field)
            if wanted is not None and wanted != name:
                message = f"There is no {field} {wanted!r}; there is {name!r}."
                raise UnknownNameError(message)
        return self._trace

    def _distributed(
        self,
        run: str | None = None,
        filter_: Filter = NO_FILTER,
        *,
        span: int | None = None,
        progress: Any = None,
    ) -> Distributed:
        """Return the tables over workers for the single worker."""
        from nbprof.ranks.combined_tables import with_workers
        from nbprof.ranks.comparison import compare_workers
        from nbprof.ranks.extract import table_of

        trace = self.trace(run, None, span).read(progress=progress).filter(filter_)
        steps, calls, devices = (
            {trace.worker: table_of(trace, name)}
            for name in ("rank_steps", "rank_calls", "device_summary")
        )
        found = with_workers(devices)
        return compare_workers([trace.file], steps, calls, found, broken={}, wanted=[trace.worker])

    def _unread(self, *_: Any, **__: Any) -> tuple[list[TraceFile], int]:
        """Return no files: `_distributed` reads the only trace."""
        return [], 1

    def _read_first(self, *_: Any) -> None:
        """Do nothing: there is nothing unread."""

    def skipped(self) -> list[tuple[str, str]]:
        """Return nothing: no directory was searched."""
        return []

    @property
    def step(self) -> str | None:
        """The annotations that are the steps, as in `Profile`."""
        return self._trace.step

    def with_step(self, step: str | None) -> OneTrace:
        """Return a copy with other annotations as steps."""
        return OneTrace(self._trace.with_step(step))

    def refresh(self) -> OneTrace:
        """Do nothing: no directory was searched."""
        return self


#: Sources that a session reads from.
Readable: TypeAlias = "Profile | OneTrace"


def check_shown(source: Any) -> Shown:
    """Check what was passed to `show`, and return paths as a list.

    Raises
    ------
    SourceError
        It is not a profile, a trace or a place to look for profiles.
    """
    if isinstance(source, (Profile, Trace)):
        return source
    checked: Shown = checked_source(source)
    return checked


def open_source(source: Shown) -> Readable:
    """Open what was passed to `show`.

    Raises
    ------
    TraceNotFoundError
        Nothing there looks like a profile.
    TraceFormatError
        Files matched, but none of them could be read.
    """
    if isinstance(source, Profile):  # its filter is removed, as for a trace
        return source.filter(Filter()) if source.active_filter else source
    if isinstance(source, Trace):
        return OneTrace(source)
    return Profile(source)


def skipped_files(readable: Readable | None) -> list[dict[str, Any]]:
    """Return path and reason of each file that was not read."""
    if readable is None:
        return []
    found = readable.skipped()
    if isinstance(found, list):
        return [{"path": path, "reason": reason} for path, reason in found]
    rows: list[dict[str, Any]] = found.select(["path", "reason"]).to_pylist()
    return rows


def given_source(source: Shown) -> Source:
    """Return the paths behind what `show` was given."""
    if isinstance(source, Trace):
        return source.path
    given: Source = source._source if isinstance(source, Profile) else source  # noqa: SLF001
    return given
