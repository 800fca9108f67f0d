"""Assigns roles to events whose category is missing or unknown, by their process and arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import last_number
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from nbprof.sources.chrome.batch import Batch, Context
    from nbprof.sources.kineto.categories import NameTraits, Roles

#: Roles by what nbprof writes as the kinds of slices without a category.
_ROLES: Final = {kind: role for role, kind in enumerate(kinds.HOST_KINDS)} | {
    kinds.DEVICE_PREFIX + kind: categories.DEVICE + at for at, kind in enumerate(kinds.DEVICE_KINDS)
}


def assign_uncategorised(batch: Batch, context: Context, traits: NameTraits, *, bare: bool) -> None:
    """Assign roles to slices without a category: operators, and others by what they have.

    Names tell steps and modules, as they do of operators with a category.

    Processes of the EventList export are called "CUDA functions" and so on. JAX and TensorFlow
    write the ids of calls that launch kernels, and a dollar before the names of Python functions.
    What nbprof wrote says among the arguments how it was read first.
    """
    rows = np.flatnonzero(batch.roles == categories.UNCATEGORISED)
    said = np.array([_said(batch.args[row].kind) for row in rows.tolist()], np.int16)
    batch.roles[rows] = said
    rows = rows[said == categories.UNCATEGORISED]
    if len(rows) == 0:
        return
    pids = [str(batch.events[row].pid) for row in rows.tolist()]
    on_device = [pid.endswith(" functions") and not pid.startswith("CPU") for pid in pids]
    kernel = categories.DEVICE + kinds.KERNEL
    batch.roles[rows] = np.where(on_device, kernel, kinds.OPERATOR)
    launches = [last_number(batch.args[row].correlation_id) is not None for row in rows.tolist()]
    batch.roles[rows[launches]] = kinds.RUNTIME
    frames = [context.names.texts[code].startswith("$") for code in batch.names[rows].tolist()]
    batch.roles[rows[frames]] = kinds.PYTHON
    roles = batch.roles[rows]
    traits.apply(roles, batch.names[rows])
    batch.roles[rows] = roles
    if not bare:
        example = f"{context.names.texts[batch.names[rows[0]]]!r} has none; taken as an operator"
        context.defects.note("missing category", len(rows), example)


def _said(kind: Any) -> int:
    """Return the role of a slice by its kind, if nbprof wrote one."""
    is_text = isinstance(kind, str)
    return _ROLES.get(kind, categories.UNCATEGORISED) if is_text else categories.UNCATEGORISED


def assign_unknown(
    batch: Batch, pairs: npt.NDArray[np.int16], known: Roles, context: Context
) -> None:
    """Treat slices of unknown categories as device work if they name a stream or device.

    Their names determine the kind of work, as in mixed categories. All others are slices of their
    thread: calls of a runtime if the category begins with the name of an accelerator, as
    ``xpu_sync`` does, and annotations otherwise, since it is unknown what they stand for.
    """
    unknown = batch.roles == categories.UNKNOWN
    if not unknown.any():
        return
    for number in np.unique(pairs[unknown]).tolist():
        phase, category = known.pairs[number]
        rows = np.flatnonzero(unknown & (pairs == number))
        if phase is None and category is None:  # JAX ends its files with {}
            is_empty = [batch.events[row].name is None for row in rows.tolist()]
            batch.roles[rows[is_empty]] = categories.IGNORED
        if phase != "X":
            continue
        args = batch.select(unknown & (pairs == number)).args
        has_place = np.array([_has_place(one) for one in args], bool)
        batch.roles[rows[~has_place]] = categories.host_kind(category)
        rows = rows[has_place]
        batch.roles[rows] = categories.MIXED
        example = f"{category!r}; taken as work on a device, since it says its stream or device"
        kind = "unknown category of device work"
        context.defects.note(kind, len(rows), example, fatal=False)


def _has_place(args: Any) -> bool:
    """Whether arguments contain the number of a stream or device."""
    return last_number(args.stream) is not None or last_number(args.device) is not None
