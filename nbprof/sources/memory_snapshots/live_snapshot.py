"""Takes what `torch.cuda.memory._snapshot` returns, as if it had been dumped to a file."""

from __future__ import annotations

import hashlib
import pickle
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from nbprof.model.errors import TraceFormatError
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.live.worker import worker_name

if TYPE_CHECKING:
    from nbprof.sources.recorder import LiveRecording

#: The files of snapshots that are in use, by their content: an unchanged one is not read again.
_files: WeakValueDictionary[bytes, MemoryFile] = WeakValueDictionary()


def of_dict(content: dict[str, Any]) -> LiveRecording:
    """Return a snapshot as a file in memory, which is read as a dumped one is.

    Raises
    ------
    TraceFormatError
        The dictionary holds something that cannot be pickled.
    """
    try:
        text = pickle.dumps(content, protocol=4)
    except Exception as error:  # objects in it may raise anything
        reason = f"{type(error).__name__}: {error}"
        message = (
            f"The dictionary cannot be read as a memory snapshot ({reason[:200]}). Pass what"
            " torch.cuda.memory._snapshot() returned, or the path of a dumped snapshot."
        )
        raise TraceFormatError(message) from error
    digest = hashlib.sha256(text).digest()
    file = _files.get(digest)
    if file is None:
        file = MemoryFile(f"{worker_name()}.pickle", text, run="live")
        _files[digest] = file
    return file
