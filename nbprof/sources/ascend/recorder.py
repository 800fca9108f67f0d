"""The recorder of the Ascend profiler: directories, and single `trace_view.json` files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.sources.ascend import probing
from nbprof.sources.ascend.dialect import DIALECT, IN_CHROME_TRACES
from nbprof.sources.ascend.file_names import FORMAT, OUTPUT
from nbprof.sources.ascend.outputs import Outputs
from nbprof.sources.ascend.profiler_info import host_of
from nbprof.sources.discovery.head import Head
from nbprof.sources.recorder import Recorder

if TYPE_CHECKING:
    from nbprof.sources.discovery.head import FileStart
    from nbprof.sources.discovery.naming import FileName

_MARK: Final = re.compile(rb'"(?:async_npu|async_task_queue|HostToDevice|Ascend Hardware|CANN)"')


def _no_file_name(_: str) -> FileName | None:
    return None


def _look(start: FileStart) -> Head | None:
    """Return the head of a single `trace_view.json`; None for other files."""
    if start.first != b"[" or not start.is_event_array:
        return None
    if not (_MARK.search(start.text) or _MARK.search(start.last)):
        return None
    return Head(format=FORMAT, device_type="npu", size=start.size, is_part=True)


RECORDER: Final = Recorder(
    name=FORMAT,
    read="nbprof.sources.ascend.reading:read",
    patterns=(OUTPUT,),
    written_by=(("tensorboard_trace_handler(directory)", "torch_npu.profiler"),),
    file_name=_no_file_name,
    look=_look,
    live={"torch_npu.profiler.profiler._KinetoProfile": "nbprof.sources.ascend.live:of_profiler"},
    dialect=DIALECT,
    folders=Outputs,
    look_at_parts=probing.probe,
    host_of=host_of,
    device_dialects={"npu": IN_CHROME_TRACES},
)
