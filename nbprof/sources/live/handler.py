"""`trace_handler` writes the recordings of a schedule; `file_of_handler` finds them again."""

from __future__ import annotations

import inspect
import os
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.live.worker import worker_name

if TYPE_CHECKING:
    from collections.abc import Callable

#: Bytes at the beginning of a file that hold its id.
_HEAD: Final = 1 << 16

_NAME: Final = re.compile(r".*\.(\d+)\.pt\.trace\.json(?:\.gz)?", re.DOTALL)


def trace_handler(
    folder: str | os.PathLike[str], worker: str | None = None, *, use_gzip: bool = False
) -> Callable[[Any], None]:
    """Return a function for ``on_trace_ready`` that writes each recording to a folder.

    As `torch.profiler.tensorboard_trace_handler`, with the rank of the process in the name of the
    file: ``rank3.1700000000000000000.pt.trace.json``. The rank is that of `torch.distributed` if it
    is initialized, else that in the environment variable ``RANK``, which launchers such as torchrun
    set. Without a rank the name holds the machine and the process. `nbprof.load` and TensorBoard
    read the folder.

    Parameters
    ----------
    folder : path
        The folder, which is made if it is missing. Workers of one run write to the same.
    worker : str, optional
        Another name for this process, different for each process of a run.
    use_gzip : bool
        Whether files are compressed, to about a tenth of the size.

    Returns
    -------
    callable
        Called with the profiler.

    Examples
    --------
    >>> handler = nbprof.trace_handler("logs/", use_gzip=True)
    >>> callable(handler)
    True
    """
    dir_name = os.fspath(folder)

    def write_trace(profiler: Any) -> None:
        name = worker or worker_name()
        Path(dir_name).mkdir(parents=True, exist_ok=True)
        ending = ".pt.trace.json.gz" if use_gzip else ".pt.trace.json"
        path = Path(dir_name) / f"{name}.{time.time_ns()}{ending}"
        profiler.export_chrome_trace(str(path))

    return write_trace


def file_of_handler(handler: object, trace_id: str) -> Path | None:
    """Return the file that a handler wrote for a recording, None if it cannot be found.

    `tensorboard_trace_handler` and `trace_handler` return closures over the folder, in a variable
    ``dir_name``. A recording and its file have the same id; where there is none, the last file of
    the worker is the one.

    Parameters
    ----------
    handler : object
        What the profiler calls when a recording is ready.
    trace_id : str
        Id of the recording; empty for versions of PyTorch without.
    """
    if not inspect.isfunction(handler):
        return None
    known = inspect.getclosurevars(handler).nonlocals
    folder, worker = known.get("dir_name"), known.get("worker_name")
    if not isinstance(folder, str) or not Path(folder).is_dir():
        return None
    found = (file for file in Path(folder).iterdir() if _NAME.fullmatch(file.name))
    files = sorted(found, key=_stamp, reverse=True)
    if not trace_id:
        return next((file for file in files if file.name.startswith(f"{worker}.")), None)
    wanted = re.compile(rb'"trace_id"\s*:\s*"' + re.escape(trace_id.encode()) + rb'"')
    return next((file for file in files if wanted.search(_head(file))), None)


def _stamp(file: Path) -> int:
    match = _NAME.fullmatch(file.name)
    return int(match[1]) if match else -1


def _head(file: Path) -> bytes:
    try:
        with ByteSource(file) as source:
            return source.read(_HEAD)
    except OSError:
        return b""
