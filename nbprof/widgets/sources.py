"""What `show` can be given, behind one face: a profile, a trace, paths, or nothing readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.model.errors import UnknownNameError
from nbprof.model.filters.filter import NO_FILTER, Filter
from nbprof.profile import Profile
from nbprof.ranks.places import with_workers
from nbprof.ranks.summary import table_of
from nbprof.ranks.together import Distributed, together
from nbprof.sources.discovery.given import checked_source
from nbprof.trace import Trace

if TYPE_CHECKING:
    from nbprof.profile import Source
    from nbprof.sources import TraceFile

#: What the views can be made of.
Shown: TypeAlias = "Source | Profile | Trace"


class OneTrace:
    """A single trace with the face of a `Profile` as far as the views need it.

    Parameters
    ----------
    trace : Trace
        Its filter is taken off: it becomes the filter of the view.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace.filter(Filter())
        self.source = trace.path

    @property
    def files(self) -> list[TraceFile]:
        """The one file."""
        return [self._trace.file]

    def trace(
        self, run: str | None = None, worker: str | None = None, span: int | None = None
    ) -> Trace:
        """Return the trace.

        Raises
        ------
        UnknownNameError
            It is not the one asked for.
        """
        for field, wanted in (("run", run), ("worker", worker), ("span", span)):
            name = getattr(self._trace, field)
            if wanted is not None and wanted != name:
                message = f"There is no {field} {wanted!r}; there is {name!r}."
                raise UnknownNameError(message)
        return self._trace

    def distributed(
        self,
        run: str | None = None,
        filter_: Filter = NO_FILTER,
        *,
        span: int | None = None,
        progress: Any = None,
    ) -> Distributed:
        """Return what it says without other workers, as `Profile.distributed` does."""
        trace = self.trace(run, None, span).read(progress=progress).filter(filter_)
        steps, calls, devices = (
            {trace.worker: table_of(trace, name)}
            for name in ("rank_steps", "rank_calls", "device_summary")
        )
        found = with_workers(devices)
        return together([trace.file], steps, calls, found, broken={}, wanted=[trace.worker])

    def unread(self, *_: Any, **__: Any) -> tuple[list[TraceFile], int]:
        """Return nothing of one: `distributed` reads the one trace."""
        return [], 1

    def read_first(self, *_: Any) -> None:
        """Do nothing: there is nothing unread."""

    def skipped(self) -> list[tuple[str, str]]:
        """Return nothing: no directory was searched."""
        return []

    @property
    def step(self) -> str | None:
        """Which annotations are the steps, as of `Profile`."""
        return self._trace.step

    def with_step(self, step: str | None) -> OneTrace:
        """Return it with other annotations as steps."""
        return OneTrace(self._trace.with_step(step))

    def refresh(self) -> OneTrace:
        """Do nothing: no directory was searched."""
        return self


#: What a session reads from.
Readable: TypeAlias = "Profile | OneTrace"


def check_shown(source: Any) -> Shown:
    """Return what `show` was given, paths as a list.

    Raises
    ------
    SourceError
        It is neither a profile nor a trace, nor a place to look for them.
    """
    if isinstance(source, (Profile, Trace)):
        return source
    checked: Shown = checked_source(source)
    return checked


def open_source(source: Shown) -> Readable:
    """Open what `show` was given.

    Raises
    ------
    TraceNotFoundError
        Nothing there looks like a profile.
    TraceFormatError
        Files matched, and none of them could be read.
    """
    if isinstance(source, Profile):  # its filter is taken off, as that of a trace
        return source.filter(Filter()) if source.active_filter else source
    if isinstance(source, Trace):
        return OneTrace(source)
    return Profile(source)


def skipped_files(readable: Readable | None) -> list[dict[str, Any]]:
    """Return path and reason of every file that was not read."""
    if readable is None:
        return []
    found = readable.skipped()
    if isinstance(found, list):
        return [{"path": path, "reason": reason} for path, reason in found]
    rows: list[dict[str, Any]] = found.select(["path", "reason"]).to_pylist()
    return rows
