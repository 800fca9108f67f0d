"""Saves a flame graph for readers without a kernel."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from nbprof.widgets.requests.protocol import Reply
    from nbprof.widgets.saved.parts import Saving
    from nbprof.widgets.views.flames.flame_window import FlameIndex

#: Pixel columns of the saved flame graph; narrower frames are merged into blocks.
SAVED_WIDTH: Final = 1600


def add_graph(saving: Saving, name: str, reply: Reply, index: FlameIndex) -> bool:
    """Add the reply about a whole graph, and the names that a search counts.

    Returns
    -------
    bool
        Whether there was room.
    """
    counts = np.bincount(index.name, minlength=len(index.names)).tolist()
    result = {**reply.result, "every": list(zip(index.names, counts, strict=True))}
    parts = [json.dumps(result, allow_nan=False).encode(), *reply.buffers]
    return saving.writer.add(name, parts=parts)
