"""Saves a memory snapshot for readers without a kernel: levels of its blocks, and some moments."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.timeline.allocations.block_level import AXES, extent
from nbprof.widgets.saved.view_parts import keep_table
from nbprof.widgets.views.memory.allocations import blocks, segments
from nbprof.widgets.views.memory.devices import device_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbprof.widgets.requests.protocol import Reply
    from nbprof.widgets.saved.parts import Saving

#: Pixels of saved pictures; zoomed in further, they are coarse.
_SCREEN: Final = {"width": 1600, "height": 200}
#: Finer levels, each of an equal part of the time.
_TILES: Final = 4
_MAP_WIDTH: Final = 1200
#: Tables of the view, and the rows kept of each.
_TABLES: Final = ("memory_segments", "memory_blocks")


def keep_allocations(saving: Saving) -> Iterator[str]:
    """Save the blocks over the whole time, and the segments at the moments that have buttons."""
    histories = _histories(saving)
    if not histories:
        return
    moments: dict[str, list[int]] = {}
    for key, history in histories.items():
        for axis in AXES[: 1 if saving.plan.compact else None]:
            if not _add(saving, f"blocks:{key}:{axis}", _blocks(saving, key, axis)):
                saving.writer.leave_out(f"The blocks of {key} by {axis} are left out.")
        failed = history.ooms()[:1].tolist()
        for moment in dict.fromkeys([*failed, history.last, history.peak]):
            reply = _segments(saving, key, moment)
            if _add(saving, f"segments:{key}:{moment}", reply):
                moments.setdefault(key, []).append(moment)
        yield f"blocks:{key}"
    about = {"devices": list(histories), "moments": moments, "tiles": _TILES}
    saving.writer.add("allocations", about)
    yield "allocations"
    for name in _TABLES:
        yield from keep_table(saving, table=name)


def keep_tiles(saving: Saving) -> Iterator[str]:
    """Save finer levels of the blocks over time."""
    for key, history in _histories(saving).items():
        start, end = extent(history, AXES[0])
        length = (end - start) / _TILES
        for tile in range(_TILES):
            span = [start + tile * length, start + (tile + 1) * length]
            reply = _blocks(saving, key, AXES[0], range=span)
            if not _add(saving, f"blocks:{key}:{tile}", reply):
                saving.writer.leave_out(
                    f"Finer levels of the blocks of {key} are left out from part {tile + 1} of"
                    f" {_TILES} on."
                )
                return
            yield f"blocks:{key}:{tile}"


def _histories(saving: Saving) -> dict[str, Any]:
    model = saving.session.trace(saving.state).model
    histories = allocator_histories(model)
    return {device_key("gpu", number): history for number, history in histories.items()}


def _blocks(saving: Saving, key: str, axis: str, **more: Any) -> Reply:
    return blocks(saving.session, _params(saving, key, axis=axis, **_SCREEN, **more), _silent)


def _segments(saving: Saving, key: str, moment: int) -> Reply:
    params = _params(saving, key, moment=moment, width=_MAP_WIDTH)
    return segments(saving.session, params, _silent)


def _params(saving: Saving, key: str, **more: Any) -> Mapping[str, Any]:
    return {"state": saving.plain_state, "memory": {"device": key}, **more}


def _add(saving: Saving, name: str, reply: Reply) -> bool:
    parts = [json.dumps(reply.result, allow_nan=False).encode(), *reply.buffers]
    return saving.writer.add(name, parts=parts)


def _silent(done: int, total: int, text: str) -> None:
    """Progress callback that does nothing."""
