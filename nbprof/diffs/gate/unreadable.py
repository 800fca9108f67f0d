"""Fails a comparison if files of its runs could not be read, whatever its limits say."""

from __future__ import annotations

from contextlib import suppress
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import TraceFormatError
from nbprof.model.reprs import some_names
from nbprof.sources.files.shared_names import SharedNames
from nbprof.sources.reading import is_whole
from nbprof.sources.recorders import other_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.profiles import Profile
    from nbprof.trace import Trace

#: How warnings begin about files of which the end is missing, so that part of them was not read.
_CUT: Final = ("cut off", "damaged ")
#: How reasons of `skipped` begin for files whose span is in another file, so that nothing is
#: missing, and for files that hold something else.
_TWICE: Final = "contains the same span as"
_NO_TRACE: Final = "not a trace"


def expect_readable(profile: Profile, traces: Sequence[Trace]) -> None:
    """Read the traces of a side, and check that no file of the profile is unreadable.

    A file that cannot be read might be the one that should have been compared. So the files of the
    other workers of the compared runs are looked at, too, one after the other; a file whose end is
    missing counts as unreadable. They are read only where a look at their ends does not tell that
    they are whole. Files that belong to other programs do not count.

    Raises
    ------
    TraceFormatError
        A file could not be read; the message names it and the reason.
    """
    names = SharedNames(profile._source)  # noqa: SLF001 - what tests print is shared
    lost = []
    try:
        for trace in traces:
            lost += _cut_off(trace.read(), names)
    except TraceFormatError as error:
        raise TraceFormatError(names.text(str(error))) from None
    seen = {trace.file.path for trace in traces}
    runs = {trace.run for trace in traces}
    for file in profile.files:
        if file.run in runs and file.path not in seen:
            seen.add(file.path)
            if is_whole(file):
                continue
            with suppress(TraceFormatError):  # is skipped from now on
                lost += profile._checked(file, lambda trace: _cut_off(trace, names))  # noqa: SLF001
    lost += [
        f"{names.path(row['path'])}: {names.text(row['reason'])}"
        for row in profile.skipped().to_pylist()
        if _is_lost(PurePath(row["path"]).name, row["reason"])
    ]
    if lost:
        message = f"Some files of {names.source} could not be read: {some_names(lost, 5)}."
        raise TraceFormatError(message)


def _cut_off(trace: Trace, names: SharedNames) -> list[str]:
    """Return what is missing at the end of a trace that was read, with its file."""
    return [
        f"{names.path(str(trace.file.path))}: {names.text(row['example'])}"
        for row in trace.warnings().to_pylist()
        if row["kind"].startswith(_CUT)
    ][:1]


def _is_lost(name: str, reason: str) -> bool:
    """Return whether a skipped file should have been a trace, by its name and the reason."""
    if reason.startswith(_TWICE) or other_file(name) is not None:
        return False
    return not reason.startswith(_NO_TRACE) or "trace" in name.lower()
