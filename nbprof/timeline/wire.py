"""Encodes windows, curves and the minimap as Arrow tables for the browser.

Each timeline row or curve is one record whose columns are lists, so each list is one typed array in
the browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nbprof.model.arrays import dtype_of
from nbprof.model.building import arrow_array, table_of
from nbprof.timeline.curves.track import reduce

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.timeline.curves.minimap import Minimap
    from nbprof.timeline.curves.track import Track
    from nbprof.timeline.window import Window

#: One record per row that shows anything. Times are ns from the trace's first event; `block`
#: contains the indices of entries that are blocks, with their `block_name`, the name with the most
#: time, `count` and `busy_ns`.
SLICES: Final = pa.schema(
    [
        pa.field("row", pa.int32(), nullable=False),
        *(
            pa.field(name, pa.list_(pa.field("item", type_, nullable=False)), nullable=False)
            for name, type_ in (
                ("start", pa.float64()),
                ("width", pa.float64()),
                ("slice", pa.int32()),
                ("name", pa.int32()),
                ("category", pa.uint8()),
                ("block", pa.uint32()),
                ("block_name", pa.int32()),
                ("count", pa.uint32()),
                ("busy_ns", pa.float64()),
            )
        ),
    ]
)

#: One record per curve.
TRACKS: Final = pa.schema(
    [
        pa.field("key", pa.utf8(), nullable=False),
        *(
            pa.field(name, pa.list_(pa.field("item", pa.float64(), nullable=False)), nullable=False)
            for name in ("time", "first", "last", "low", "high")
        ),
    ]
)

#: One record per column of a band in which something ran.
MINIMAP: Final = pa.schema(
    [
        pa.field("band", pa.int32(), nullable=False),
        pa.field("column", pa.int32(), nullable=False),
        pa.field("category", pa.uint8(), nullable=False),
        pa.field("share", pa.float32(), nullable=False),
    ]
)


def window_table(window: Window, known: Sequence[str]) -> tuple[pa.Table, list[str]]:
    """Encode a window as a table, and return the names it uses.

    Parameters
    ----------
    window : Window
        The items to send.
    known : sequence of str
        All names; the window contains indices into them.

    Returns
    -------
    table : pyarrow.Table
        Columns of `SLICES`.
    names : list of str
        The names for the codes in `name`. Host and device may have the same name twice.
    """
    used = np.zeros(len(known) + 1, bool)  # the last entry is for -1, no name
    used[window.name] = used[window.block_name] = True
    used[-1] = False
    renumbered = np.append(np.cumsum(used[:-1]) - 1, -1)
    name = renumbered[window.name]
    head = np.flatnonzero(np.diff(window.row, prepend=-1))
    bounds = np.append(head, len(window))
    block = np.flatnonzero(window.count > 1)
    blocks = np.searchsorted(block, bounds)
    in_row = block - np.repeat(head, np.diff(blocks)) if len(head) else block
    by_item = {
        "start": window.start,
        "width": window.end - window.start,
        "slice": window.slice,
        "name": name,
        "category": window.category,
    }
    by_block = {
        "block": in_row,
        "block_name": renumbered[window.block_name[block]],
        "count": window.count[block],
        "busy_ns": window.busy[block],
    }
    columns = {"row": arrow_array(window.row[head], pa.int32())}
    columns |= {key: _lists(bounds, values, SLICES, key) for key, values in by_item.items()}
    columns |= {key: _lists(blocks, values, SLICES, key) for key, values in by_block.items()}
    names = [known[code] for code in np.flatnonzero(used).tolist()]
    return table_of(columns, SLICES), names


def tracks_table(tracks: Sequence[Track], start_ns: int, end_ns: int, width: int) -> pa.Table:
    """Encode curves, reduced to the pixel columns of a window, as a table."""
    parts = [reduce(track, start_ns, end_ns, width) for track in tracks]
    bounds = np.concatenate([[0], np.cumsum([len(part.time) for part in parts], dtype=np.int64)])
    columns: dict[str, pa.Array] = {"key": arrow_array([track.key for track in tracks], pa.utf8())}
    for key in TRACKS.names[1:]:
        values = [getattr(part, key) for part in parts]
        columns[key] = _lists(bounds, np.concatenate([np.empty(0), *values]), TRACKS, key)
    return table_of(columns, TRACKS)


def minimap_table(minimap: Minimap) -> pa.Table:
    """Encode the minimap as a table."""
    return table_of({key: getattr(minimap, key) for key in MINIMAP.names}, schema=MINIMAP)


def _lists(
    bounds: npt.NDArray[np.int64],
    values: npt.NDArray[np.generic],
    schema: pa.Schema,
    name: str,
) -> pa.Array:
    type_ = schema.field(name).type
    flat = arrow_array(values.astype(dtype_of(type_.value_type)), type_.value_type)
    return pa.ListArray.from_arrays(arrow_array(bounds, pa.int32()), flat, type=type_)
