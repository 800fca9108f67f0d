"""`LiveSource`: a profiler object as the source of a profile, and how recorders claim objects."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.errors import NbprofError, SourceError
from nbprof.registry import resolved
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.recorders import RECORDERS

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.sources.recorder import LiveRecording, Recorder

#: Characters of the message of an object's own error.
_LONGEST: Final = 500


class LiveSource:
    """A profiler object, asked anew for its recording whenever the source is searched.

    Parameters
    ----------
    given : object
        The object that the caller passed.
    recorder : Recorder
        The recorder that claims it.
    take : callable
        Returns what the object recorded.
    """

    def __init__(
        self, given: Any, recorder: Recorder, take: Callable[[Any], LiveRecording]
    ) -> None:
        self.given = given
        self._recorder = recorder
        self._take = take
        self._last: LiveRecording | None = None

    @property
    def name(self) -> str:
        """Name of the object's class, such as ``torch.profile``."""
        kind = type(self.given)
        return f"{kind.__module__.split('.')[0]}.{kind.__qualname__}"

    def recorded(self) -> LiveRecording:
        """Return what the object recorded: the last recording while a new one is under way.

        Raises
        ------
        SourceError
            The object holds no recording, or a first one is still under way.
        """
        try:
            self._last = self._take(self.given)
        except NbprofError:
            if self._last is None:
                raise
        except Exception as error:
            reason = f"{type(error).__name__}: {_said(error)}."
            raise self._unreadable(reason) from error
        found: Any = self._last
        several = isinstance(found, Sequence) and not isinstance(found, str)
        listed = found if several else [found]
        if not all(isinstance(one, (str, os.PathLike, MemoryFile)) for one in listed):
            reason = f"It gave a {type(found).__name__} in place of files."
            raise self._unreadable(reason)
        return self._last

    def _unreadable(self, reason: str) -> SourceError:
        name = self._recorder.name
        return SourceError(f"The recorder {name!r} could not read this {self.name}. {reason}")


def _said(error: Exception) -> str:
    """Return what an error says, which may be anything, or that it cannot say it."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the object is not ours
        return "it has no message"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def live_source(source: object) -> LiveSource | None:
    """Return an object as a source if a recorder claims its class or a base of it.

    Only names are compared, so no profiler is imported, nor is a recorder that names no classes
    consulted. Recorders of other packages come first.
    """
    names = {f"{kind.__module__}.{kind.__qualname__}": None for kind in type(source).__mro__}
    recorders = sorted(RECORDERS.specs(), key=lambda one: RECORDERS.is_own(one.name))
    for name in names:
        for recorder in recorders:
            if name in recorder.live and (recorder.claims is None or recorder.claims(source)):
                return LiveSource(source, recorder, resolved(recorder.live[name]))
    return None
