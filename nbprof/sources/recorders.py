"""The registry of recorders, and functions that ask all of them."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Final, TypeVar

from nbprof.model.errors import ExtensionWarning
from nbprof.model.trace.dialect import PLAIN
from nbprof.registry import Registry
from nbprof.sources.discovery.naming import FileName
from nbprof.sources.other_files import OTHER_FILES
from nbprof.sources.packed.names import archive_stem, is_archive_name, unpacked_name

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.model.trace.dialect import Dialect
    from nbprof.sources.other_files import OtherFile
    from nbprof.sources.recorder import Recorder

T = TypeVar("T")

#: The recorders by name, which is the column ``format`` of the table `runs`.
RECORDERS: Final[Registry[Recorder]] = Registry(
    "recorder",
    "nbprof.recorders",
    "nbprof.sources.recorder:Recorder",
    {
        "PyTorch": "nbprof.sources.kineto.recorder:RECORDER",
        "Paddle": "nbprof.sources.paddle.recorder:RECORDER",
        "PyTorch memory snapshot": "nbprof.sources.memory_snapshots.recorders:SNAPSHOTS",
        "PyTorch memory timeline": "nbprof.sources.memory_snapshots.recorders:TIMELINES",
        "Python profile": "nbprof.sources.python_profiles.recorder:RECORDER",
        "Ascend": "nbprof.sources.ascend.recorder:RECORDER",
        "Nsight Systems": "nbprof.sources.nsight.recorder:RECORDER",
        "nvprof": "nbprof.sources.nvprof.recorder:RECORDER",
        "JAX or TensorFlow": "nbprof.sources.other_chrome.recorders:XLA_RECORDER",
        "Chrome trace": "nbprof.sources.other_chrome.recorders:CHROME_RECORDER",
    },
)


def by_claim() -> list[Recorder]:
    """Return the recorders in the order in which they are tried on a file.

    Recorders of other packages come first, since they match files by name; the general one comes
    last.
    """
    every = RECORDERS.specs()
    return sorted(every, key=lambda one: (RECORDERS.is_own(one.name), one.general))


def parse_name(name: str) -> FileName | None:
    """Parse a file name; None if it matches no recorder."""
    for recorder in by_claim():
        parsed = without_failing(recorder, recorder.parse_name, name)
        if parsed is not None:
            return parsed
    plain = unpacked_name(name)
    if plain != name:
        return parse_name(plain)
    if is_archive_name(name):
        return FileName(archive_stem(name), -1, expected=False)
    # Files of other profilers are listed with the reason why they are not read.
    return FileName(name, -1, expected=False) if other_file(name) is not None else None


def other_file(name: str) -> OtherFile | None:
    """Return the kind of files, not read by nbprof, that a file belongs to by its name."""
    every = (other for one in RECORDERS.specs() for other in one.others)
    return next((one for one in (*every, *OTHER_FILES) if one.matches(name)), None)


def without_failing(recorder: Recorder, ask: Callable[..., T | None], *args: Any) -> T | None:
    """Call a function of a recorder; if one of another package fails, warn and return None.

    An `OSError` concerns the file and is always raised.
    """
    try:
        return ask(*args)
    except OSError:
        raise
    except Exception as error:
        if RECORDERS.is_own(recorder.name):
            raise
        text = f"The recorder {recorder.name!r} failed. {type(error).__name__}: {error}."
        warnings.warn(text, ExtensionWarning, stacklevel=2)
        return None


def patterns() -> str:
    """Return the file name patterns of all recorders, for messages."""
    return ", ".join(pattern for one in RECORDERS.specs() for pattern in one.patterns)


def written_by() -> str:
    """Return the calls that write such files, for messages."""
    modules: dict[str, list[str]] = {}
    for recorder in RECORDERS.specs():
        for call, module in recorder.written_by:
            modules.setdefault(call, []).extend([module] if module else [])
    calls = [f"{call} of {' or '.join(of)}" if of else call for call, of in modules.items()]
    return ", or ".join([", ".join(calls[:-1]), calls[-1]]) if len(calls) > 1 else calls[0]


def live_classes() -> str:
    """Return the classes of objects that recorders accept, for messages."""
    return ", ".join(name for one in RECORDERS.specs() for name in one.live)


def told_format(name: str) -> str:
    """Return the name of a recorder where headings tell it: of all but the general one."""
    return "" if RECORDERS[name].general else name


def dialect_of(metadata: Mapping[str, Any]) -> Dialect:
    """Return the dialect of a trace, chosen by its metadata.

    Parameters
    ----------
    metadata : mapping
        Metadata of a model; without ``format`` the general recorder is assumed.
    """
    every = RECORDERS.specs()
    name = metadata.get("format")
    own = next((one for one in every if one.name == name or (name is None and one.general)), None)
    if own is None:
        return PLAIN
    of_device = (
        one.device_dialects[kind]
        for one in every
        if own.general and (kind := str(metadata.get("device_type"))) in one.device_dialects
    )
    return next(of_device, own.dialect)
