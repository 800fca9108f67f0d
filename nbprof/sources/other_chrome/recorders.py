"""The recorders of Chrome traces that PyTorch did not write, told from its own by their content."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.discovery.head import Head
from nbprof.sources.kineto import categories
from nbprof.sources.other_chrome.dialects import CHROME, OF_CHROME, OF_XLA, XLA
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources.discovery.head import FileStart

_READ: Final = "nbprof.sources.other_chrome.reading:read"

#: Processes of XLA's traces are devices and hosts.
_PROCESS: Final = re.compile(rb'"name"\s*:\s*"/(?:device|host):(\w+)[^"]*"')
_CATEGORY: Final = re.compile(rb'"cat"\s*:\s*"(\w+)"')
_PHASE: Final = re.compile(rb'"ph"\s*:\s*"')
#: What only PyTorch writes: keys of the header and of arguments, names, and processes.
_PYTORCH: Final = re.compile(
    rb'"(?:schemaVersion|deviceProperties|traceName|distributedInfo|baseTimeNanoseconds|nbprof'
    rb"|record_shapes|with_stack|profile_memory|External id|external id|Ev Idx|Fwd thread id"
    rb'|Sequence number|Python id|\[memory\])"|"ProfilerStep#|"\w+ functions"'
)
#: Categories that other programs use as well; of PyTorch's their events have one of these keys.
_COMMON: Final = frozenset(
    {"kernel", "runtime", "operator", "python", "trace", "memcpy", "memset", "async", "step"}
)
_KEYS: Final = re.compile(rb'"(?:correlation|device)"\s*:')


def _look_at_xla(start: FileStart) -> Head | None:
    """Recognise a trace of JAX or TensorFlow by the names of its processes."""
    text = _text(start)
    if text is None:
        return None
    found = {one.decode().lower() for one in _PROCESS.findall(text)}
    if not found:
        return None
    kinds = sorted(found - {"cpu"})
    return Head(
        format=XLA,
        metadata=(("is_second", start.name.startswith("perfetto_trace.")),),
        device_type=kinds[0] if kinds else "cpu",
        size=start.size,
    )


def _look_at_chrome(start: FileStart) -> Head | None:
    """Recognise a Chrome trace that shows no sign of PyTorch."""
    text = _text(start)
    if text is None or not _PHASE.search(text) or _PYTORCH.search(text):
        return None
    found = {one.decode() for one in _CATEGORY.findall(text)}
    known = {one for one in found if categories.is_known(one) or categories.is_call(one)}
    if known - {one for one in known if one.lower() in _COMMON} or (known and _KEYS.search(text)):
        return None
    on_device = any(categories.reports_device("X", one) for one in known)
    return Head(format=CHROME, device_type="gpu" if on_device else "cpu", size=start.size)


def _text(start: FileStart) -> bytes | None:
    """Return both ends of a Chrome trace; None for other files."""
    if start.first == b"[":
        return start.text + start.tail if start.is_event_array else None
    if start.first != b"{" or start.header is None:
        return None
    return start.header[0] + start.tail


def _second_forms(files: Sequence[tuple[Any, int, Mapping[str, Any]]]) -> dict[int, int]:
    """Find the files for Perfetto that lie beside the trace with the same events.

    ``jax.profiler.trace(folder, create_perfetto_trace=True)`` writes both.
    """
    of_run: dict[object, list[int]] = defaultdict(list)
    for at, ((run, *_), _, metadata) in enumerate(files):
        if not metadata["is_second"]:
            of_run[run].append(at)
    return {
        at: of_run[run][0]
        for at, ((run, *_), _, metadata) in enumerate(files)
        if metadata["is_second"] and len(of_run[run]) == 1
    }


XLA_RECORDER: Final = Recorder(
    name=XLA,
    read=_READ,
    written_by=(("trace(folder)", "jax.profiler"),),
    look=_look_at_xla,
    dialect=OF_XLA,
    second_forms=_second_forms,
    is_whole="nbprof.sources.chrome.ending:is_whole",
)

CHROME_RECORDER: Final = Recorder(
    name=CHROME,
    read=_READ,
    look=_look_at_chrome,
    dialect=OF_CHROME,
    is_whole="nbprof.sources.chrome.ending:is_whole",
)
