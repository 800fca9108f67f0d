"""Assigns roles to events whose category is missing or unknown, by their process and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import last_number
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context
    from nbprof.sources.kineto.categories import Roles


def assign_uncategorised(batch: Batch, context: Context, *, bare: bool) -> None:
    """Assign roles to slices without a category: operators, and kernels by their process."""
    rows = np.flatnonzero(batch.roles == categories.UNCATEGORISED)
    if len(rows) == 0:
        return
    pids = [str(batch.events[row].pid) for row in rows.tolist()]
    # The EventList export calls processes "CPU functions", "CUDA functions" and so on.
    on_device = [pid.endswith(" functions") and not pid.startswith("CPU") for pid in pids]
    kernel = categories.DEVICE + kinds.KERNEL
    batch.roles[rows] = np.where(on_device, kernel, kinds.OPERATOR)
    if not bare:
        example = f"{context.names.texts[batch.names[rows[0]]]!r} has none; taken as an operator"
        context.defects.note("missing category", len(rows), example)


def assign_unknown(
    batch: Batch, pairs: npt.NDArray[np.int16], known: Roles, context: Context
) -> None:
    """Treat slices of unknown categories as device work if they name a stream or device.

    Their names determine the kind of work, as in mixed categories.
    """
    unknown = batch.roles == categories.UNKNOWN
    if not unknown.any():
        return
    for number in np.unique(pairs[unknown]).tolist():
        phase, category = known.pairs[number]
        if phase != "X":
            continue
        rows = np.flatnonzero(unknown & (pairs == number))
        args = batch.select(unknown & (pairs == number)).args
        rows = rows[[_has_place(one) for one in args]]
        batch.roles[rows] = categories.MIXED
        example = f"{category!r}; taken as work on a device, since it says its stream or device"
        kind = "unknown category of device work"
        context.defects.note(kind, len(rows), example, fatal=False)


def _has_place(args: Any) -> bool:
    """Whether arguments contain the number of a stream or device."""
    return last_number(args.stream) is not None or last_number(args.device) is not None
