"""What a slice is, for its colour and for the blocks that stand for many: one code a slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.communication import device_communication
from nbprof.analysis.device_rows import work_rows
from nbprof.model import kinds
from nbprof.model.roles import data_loader_rows

if TYPE_CHECKING:
    from nbprof.model.trace_model import TraceModel

#: In the order of their codes, which are those of the messages to the browser.
CATEGORIES: Final = (
    "operator",
    "runtime",
    "annotation",
    "step",
    "dataloader",
    "python",
    "module",
    "kernel",
    "memcpy",
    "memset",
    "communication",
    "sync",
    "device_annotation",
)
CODES: Final = {name: code for code, name in enumerate(CATEGORIES)}

#: Kinds that are coloured as something else.
_AS: Final = {"phase": "annotation", "task": "sync"}

#: Names of categories by the code of the kind.
_HOST: Final = tuple(CODES[_AS.get(kind, kind)] for kind in kinds.HOST_KINDS)
_DEVICE: Final = tuple(
    CODES["device_annotation" if kind == "annotation" else _AS.get(kind, kind)]
    for kind in kinds.DEVICE_KINDS
)


def categories_of(model: TraceModel) -> npt.NDArray[np.uint8]:
    """Return the code of every slice's category.

    Returns
    -------
    ndarray of uint8, shape (host rows + device rows,)
        Index into `CATEGORIES`; the host rows come first.
    """
    host = np.array(_HOST, np.uint8)[model.column("host", "kind")]
    host[data_loader_rows(model)] = CODES["dataloader"]
    device = np.array(_DEVICE, np.uint8)[model.column("device", "kind")]
    device[device_communication(model) & work_rows(model)] = CODES["communication"]
    return np.concatenate([host, device])
