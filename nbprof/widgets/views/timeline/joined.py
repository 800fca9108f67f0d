"""Joins the windows, minimaps and sums by name of several workers."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.contract.table import make_table
from nbprof.timeline.curves.minimap import Band, Minimap, minimap
from nbprof.timeline.slice_summary import SLICE_SUMMARY
from nbprof.timeline.window import Window
from nbprof.widgets.views.timeline.workers import extent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from nbprof.widgets.views.timeline.workers import WorkerPart

#: With more workers than this, the minimap has only bands of devices, at most `_MOST_BANDS`.
_MOST_WHOLE: Final = 2
_MOST_BANDS: Final = 16


def joined_window(shown: Sequence[tuple[WorkerPart, Window]]) -> tuple[Window, Sequence[str]]:
    """Return the windows of workers as one, with the rows, slices and times of the screen.

    Parameters
    ----------
    shown : sequence of (WorkerPart, Window)
        The workers in their order, at least one; the windows are on their own clocks.

    Returns
    -------
    window : Window
    names : sequence of str
        The names that its codes refer to.
    """
    names: list[str] = []
    moved: list[Window] = []
    if len(shown) == 1 and not shown[0][0].suffix:
        part, window = shown[0]
        return window, part.timeline.slices.names
    for part, window in shown:
        number = np.append(np.arange(len(part.timeline.slices.names)) + len(names), -1)
        rows = tuple((low + part.first_row, high + part.first_row) for low, high in window.rows)
        moved.append(
            replace(
                window,
                start_ns=window.start_ns + part.shift_ns,
                end_ns=window.end_ns + part.shift_ns,
                rows=rows,
                row=(window.row + part.first_row).astype(np.int32),
                start=window.start + part.shift_ns,
                end=window.end + part.shift_ns,
                slice=(window.slice + part.first_slice).astype(np.int32),
                name=number[window.name].astype(np.int32),
                block_name=number[window.block_name].astype(np.int32),
            )
        )
        names += part.timeline.slices.names
    first = moved[0]
    arrays: dict[str, Any] = {
        field.name: np.concatenate([getattr(window, field.name) for window in moved])
        for field in fields(Window)
        if isinstance(getattr(first, field.name), np.ndarray)
    }
    rows = tuple(pair for window in moved for pair in window.rows)
    bin_ns = max(window.bin_ns for window in moved)
    return replace(first, rows=rows, bin_ns=bin_ns, **arrays), names


def joined_minimap(parts: Sequence[WorkerPart]) -> Minimap:
    """Return one minimap of all workers; with many workers, only the bands of devices, if any.

    Parameters
    ----------
    parts : sequence of WorkerPart
        The workers, that on screen first.
    """
    if len(parts) == 1:
        return parts[0].timeline.minimap
    low, high = extent_of(parts)
    bands: list[Band] = []
    pieces: list[Minimap] = []
    for part in parts:
        found = _minimap_in(part, (low - part.shift_ns, high - part.shift_ns))
        devices = [at for at, band in enumerate(found.bands) if band.group.startswith("device:")]
        whole = len(parts) <= _MOST_WHOLE or not devices
        kept = list(range(len(found.bands))) if whole else devices
        if bands and len(bands) + len(kept) > _MOST_BANDS:
            break
        number = np.full(len(found.bands), -1)
        number[kept] = np.arange(len(kept)) + len(bands)
        band_of = number[found.band]
        there = np.flatnonzero(band_of >= 0)
        pieces.append(
            replace(
                found,
                band=band_of[there].astype(np.int32),
                column=found.column[there],
                category=found.category[there],
                share=found.share[there],
            )
        )
        bands += [
            Band(part.key(found.bands[at].group), f"{part.name_of(parts)} {found.bands[at].label}")
            for at in kept
        ]
    return Minimap(
        columns=pieces[0].columns,
        bands=tuple(bands),
        band=np.concatenate([piece.band for piece in pieces]),
        column=np.concatenate([piece.column for piece in pieces]),
        category=np.concatenate([piece.category for piece in pieces]),
        share=np.concatenate([piece.share for piece in pieces]),
    )


def joined_summary(tables: Sequence[pa.Table]) -> pa.Table:
    """Return tables ``slice_summary`` of workers as one, most time first.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        Those of the workers in their order, at least one.
    """
    if len(tables) == 1:
        return tables[0]
    sums: dict[tuple[str, str | None], list[Any]] = {}
    for table in tables:
        for row in table.to_pylist():
            sum_ = sums.setdefault((row["side"], row["name"]), [0, 0.0, None])
            sum_[0] += row["count"]
            sum_[1] += row["total_us"]
            if row["self_us"] is not None:
                sum_[2] = (sum_[2] or 0.0) + row["self_us"]
    order = sorted(sums, key=lambda key: (-sums[key][1], -sums[key][0]))
    kept = [sums[key] for key in order]
    return make_table(
        SLICE_SUMMARY,
        {
            "side": [side for side, _ in order],
            "name": [name for _, name in order],
            "count": [count for count, _, _ in kept],
            "total_us": [total for _, total, _ in kept],
            "self_us": [own for _, _, own in kept],
            "mean_us": [total / count for count, total, _ in kept],
        },
    )


def _minimap_in(part: WorkerPart, extent_ns: tuple[int, int]) -> Minimap:
    """Return the minimap of a worker over an extent on its own clock."""
    model = part.timeline.model
    return model.cached(("minimap", extent_ns), lambda: minimap(model, extent_ns))
