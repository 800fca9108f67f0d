"""The recorder of Paddle: its file names, and how both ends of a file are probed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.sources.discovery.head import Head
from nbprof.sources.discovery.naming import FileName
from nbprof.sources.paddle import probing
from nbprof.sources.paddle.dialect import DIALECT, FORMAT
from nbprof.sources.paddle.duplicates import second_forms
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart

#: Default file names: worker up to the last `_time_`, time of day, extension. The span is in the
#: file.
_NAME: Final = re.compile(r"^(?:(.+)_time_(.+)|(.+))\.paddle_trace\.(?:json|pb)$", re.DOTALL)

_LONGEST_STAMP: Final = 30


def file_name(name: str) -> FileName | None:
    """Split a file name; None if it is not a default name."""
    match = _NAME.match(name)
    if match is None:
        return None
    digits = re.sub(r"\D", "", match.group(2) or "")[:_LONGEST_STAMP]
    return FileName(match.group(1) or match.group(3), int(digits or -1), expected=True)


def look(start: FileStart) -> Head | None:
    """Return the head of a file, from both ends; None for other files."""
    if probing.is_protobuf(start.text):
        facts = probing.of_protobuf(start.source, start.text)
    elif start.first == b"{" and start.header is not None:
        text, events = start.header
        if not probing.is_json(start.name, text[:events]):
            return None
        facts = probing.of_json(text[:events], text, start.tail)
    else:
        return None
    header_metadata = tuple(facts.metadata.items())
    return Head("", FORMAT, header_metadata, facts.device_type, facts.devices, start.size)


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.paddle.reading:read",
    patterns=("*.paddle_trace.pb",),
    written_by=(("export_chrome_tracing(directory)", "paddle.profiler"),),
    file_name=file_name,
    look=look,
    live={"paddle.profiler.profiler.Profiler": "nbprof.sources.paddle.live:of_profiler"},
    dialect=DIALECT,
    host_of=probing.host_of,
    second_forms=second_forms,
)
