"""The rows and texts of stacked blocks, as the browser draws them."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.allocator.options import texts_of
from nbprof.model.building import arrow_array, table_of
from nbprof.model.names.user_frames import user_frame
from nbprof.widgets.requests.arrow import to_ipc

if TYPE_CHECKING:
    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.timeline.allocations.block_level import BlockLevel

Ints = npt.NDArray[np.int64]

#: Frames of a stack that are sent with a picture; the whole stack comes with a selected block.
_FRAMES: Final = 8
_LONGEST: Final = 600
#: Colours for stacks.
_SLOTS: Final = 10


class StackTexts:
    """The stacks and categories of some blocks, numbered anew.

    Attributes
    ----------
    stack, category : ndarray of int64, shape (blocks,)
        Number of each block's stack and category, -1 for none.
    stacks : list of str
        The innermost frames of each stack, joined by ";".
    slots : list of int
        The colour slot of each stack: stacks that meet in one frame of the user share it.
    categories : list of str
    """

    def __init__(self, history: AllocatorHistory, blocks: Ints) -> None:
        stacks, stack_texts = texts_of(history, "call_stack")
        self.stack, whole = _numbered(stacks[blocks], stack_texts)
        self.stacks = [_short_stack(text) for text in whole]
        self.slots = [slot_of(text) for text in whole]
        categories, category_texts = texts_of(history, "category")
        self.category, self.categories = _numbered(categories[blocks], category_texts)


def _short_stack(stack: str) -> str:
    """Return the innermost frames of a stack, among them the user's first one."""
    frames = stack.split(";")
    shown = frames[:_FRAMES]
    own = user_frame(stack)
    if own not in (one.strip() for one in shown):
        shown = [*shown[:-1], own]
    return ";".join(shown)[:_LONGEST]


def slot_of(stack: str) -> int:
    """Return the colour slot of a stack, the same in every picture."""
    return zlib.crc32(user_frame(stack).encode()) % _SLOTS


def block_rows(
    history: AllocatorHistory,
    level: BlockLevel,
    texts: StackTexts,
    wanted: npt.NDArray[np.bool_] | None,
) -> bytes:
    """Return the blocks of a level as Arrow IPC."""
    lives, block = history.lives, level.block
    time_us = np.append(history.model.column("allocator_events", "time_ns") / 1000, np.nan)
    matches = np.ones(len(block), bool) if wanted is None else wanted[block]
    columns = {
        "block": block.astype(np.int32),
        "first": level.first.astype(np.int32),
        "last": level.last.astype(np.int32),
        "bytes": lives.size[block].astype(np.float64),
        "stack": texts.stack.astype(np.int32),
        "category": texts.category.astype(np.int32),
        "match": matches.astype(np.int8),
        "start_us": time_us[lives.allocation[block]],
        "end_us": time_us[lives.release[block]],
    }
    return to_ipc(table_of({name: arrow_array(values) for name, values in columns.items()}))


def column_rows(level: BlockLevel) -> bytes:
    """Return the columns of a level as Arrow IPC."""
    columns = {
        "moment": level.moment.astype(np.int32),
        "total": level.total.astype(np.float64),
        "rest": level.rest.astype(np.float64),
        "reserved": level.reserved.astype(np.float64),
    }
    return to_ipc(table_of({name: arrow_array(values) for name, values in columns.items()}))


def _numbered(codes: Ints, texts: list[str]) -> tuple[Ints, list[str]]:
    """Return codes over only those texts that are used."""
    used, place = np.unique(codes, return_inverse=True)
    place = place.reshape(-1)
    missing = int(len(used) > 0 and used[0] < 0)
    return place - missing, [texts[code] for code in used[missing:].tolist()]
