"""Which call a cost is charged to, and how kernels share it, so that nothing counts twice.

Operators call operators that do their work: `aten::linear` calls `aten::addmm`, which launches the
kernel. The innermost call is charged: a call with a cost is not charged if charged calls inside it
account for at least half of its FLOPs, or of its bytes if it has no FLOPs. What a call does beside
its main work, such as a copy inside a convolution, is charged on its own. On a trace with device
work, only calls are charged that launched some of it, themselves or through the calls inside.

A kernel belongs to the innermost charged call around the operator that launched it. The kernels of
a call share its cost in proportion to their times; kernels that only prepare or reduce, by their
names, have a share only if the call has no others. So the shares of the kernels of a call sum to
its cost.

Kernels without a charged call have the costs that follow from wrapped functions, where the ranges
around their launches recorded them (`by_kernel.range_costs`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from nbprof.analysis.costs.by_kernel.npu_costs import npu_costs
from nbprof.analysis.costs.by_kernel.range_costs import put_range_costs
from nbprof.analysis.costs.helper_kernels import is_helper
from nbprof.analysis.costs.signatures import SignatureCosts, signature_costs
from nbprof.analysis.devices.device_rows import has_device, work_of_kind, work_rows
from nbprof.analysis.kernels.communication import device_communication
from nbprof.analysis.ranks.calls import kernel_message_bytes
from nbprof.analysis.subtree_sums import Forest
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import innermost_operators, named, operator_rows
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Charges:
    """What each call and each kernel is charged.

    Attributes
    ----------
    flops, bytes : ndarray of float64, shape (host rows,)
        Costs of charged calls; NaN for all other rows, and where unknown.
    charged, is_matrix : ndarray of bool, shape (host rows,)
        Whether a call is charged, and whether its FLOPs are those of matrix products.
    owner : ndarray of int64, shape (device rows,)
        The charged call of each kernel; for others the operator that launched it, -1 without one.
    device_flops, device_bytes : ndarray of float64, shape (device rows,)
        The shares of device rows, NaN where unknown.
    device_matrix : ndarray of bool, shape (device rows,)
        Whether the FLOPs of a row are those of matrix products.
    types : list of str
        Short names of types of operands, "" for unknown.
    device_type : ndarray of int64, shape (device rows,)
        Index in `types` of the operands of each row, -1 without a cost.
    """

    flops: Floats
    bytes: Floats
    charged: Mask
    is_matrix: Mask
    owner: Rows
    device_flops: Floats
    device_bytes: Floats
    device_matrix: Mask
    types: list[str]
    device_type: Rows


def charges_of(model: TraceModel) -> Charges:
    """Return what each call and kernel is charged, under the formulas of this moment."""
    costs = signature_costs(model)
    holder: list[tuple[SignatureCosts, Charges] | None] = model.cached("charges", lambda: [None])
    kept = holder[0]
    if kept is None or kept[0] is not costs:
        kept = holder[0] = costs, _charge(model, costs)
    return kept[1]


def _charge(model: TraceModel, costs: SignatureCosts) -> Charges:
    count = model.tables["host"].num_rows
    flops, moved = np.full(count, np.nan), np.full(count, np.nan)
    flops[costs.row], moved[costs.row] = costs.flops, costs.bytes
    is_matrix = np.zeros(count, bool)
    is_matrix[costs.row] = costs.is_matrix
    charged = _charged(model, flops, moved)
    owner = _owners(model, charged)
    if has_device(model):  # its kernels may be missing from the recording
        owns = np.zeros(count, bool)
        owns[owner[work_rows(model) & (owner >= 0)]] = True
        charged &= owns
    is_matrix &= charged
    flops[~charged] = np.nan
    moved[~charged] = np.nan
    shared_flops, shared_bytes = _shares(model, owner, flops, moved)
    matrix = values_at(is_matrix, owner) == 1
    types, type_of_host = list(costs.types), np.full(count, -1, np.int64)
    type_of_host[costs.row] = costs.type_code
    device_type = np.where(owner >= 0, values_at(type_of_host, owner), -1)
    by_kernel = len(model.column("npu_kernels", "row")) > 0
    if by_kernel:
        npu = npu_costs(model)
        npu.put_into(shared_flops, shared_bytes, matrix, types, device_type)
    if model.tables["range_texts"].num_rows:
        by_kernel |= put_range_costs(
            model,
            owner=owner,
            flops=shared_flops,
            moved=shared_bytes,
            is_matrix=matrix,
            types=types,
            type_code=device_type,
        )
    if by_kernel:
        flops, moved = (_by_owner(owner, one, own) for one, own in
                        ((shared_flops, flops), (shared_bytes, moved)))  # fmt: skip
        charged = ~(np.isnan(flops) & np.isnan(moved))
        is_matrix = np.zeros(count, bool)
        is_matrix[owner[matrix & (owner >= 0)]] = True
    _add_messages(model, shared_flops, shared_bytes)
    return Charges(
        flops,
        moved,
        charged,
        is_matrix,
        owner,
        shared_flops,
        shared_bytes,
        matrix,
        types,
        device_type,
    )


def _by_owner(owner: Rows, of_device: Floats, of_host: Floats) -> Floats:
    """Return the costs of calls as the sums of what their kernels recorded, where any did."""
    known = np.flatnonzero((owner >= 0) & ~np.isnan(of_device))
    total = np.bincount(owner[known], weights=of_device[known], minlength=len(of_host))
    has = np.bincount(owner[known], minlength=len(of_host)) > 0
    return np.where(has, total, of_host)


def _charged(model: TraceModel, flops: Floats, moved: Floats) -> Mask:
    """Return which rows are charged: those whose work no charged call inside them does."""
    known = ~(np.isnan(flops) & np.isnan(moved)) & operator_rows(model)
    if has_device(model):
        known &= _launched_work(model)
    rows = np.flatnonzero(known)
    index = np.full(len(flops), -1, np.int64)
    index[rows] = np.arange(len(rows))
    parent = values_at(index, nearest_ancestor(model.nesting.parent, known)[rows])
    own_flops, own_bytes = np.nan_to_num(flops[rows]), np.nan_to_num(moved[rows])
    inside_flops, inside_bytes = np.zeros(len(rows)), np.zeros(len(rows))
    has_inside, chosen = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
    for level in (*Forest.of(parent).levels, np.flatnonzero(parent < 0)):
        chosen[level] = ~np.where(
            own_flops[level] > 0,
            2 * inside_flops[level] >= own_flops[level],
            has_inside[level] & (2 * inside_bytes[level] >= own_bytes[level]),
        )
        some = level[parent[level] >= 0]
        above, own = parent[some], chosen[some]
        np.add.at(inside_flops, above, inside_flops[some] + np.where(own, own_flops[some], 0))
        np.add.at(inside_bytes, above, inside_bytes[some] + np.where(own, own_bytes[some], 0))
        has_inside[above] = True
    known[rows] = chosen
    return known


def _launched_work(model: TraceModel) -> Mask:
    """Return which operators launched device work, themselves or through operators inside."""
    launched = np.zeros(model.tables["host"].num_rows, bool)
    above, slot = innermost_operators(model), np.empty(len(launched), np.int64)
    rows = model.links.operator[work_rows(model)]
    while len(rows):
        rows = rows[rows >= 0]
        rows = rows[~launched[rows]]
        launched[rows] = True
        # One of equal rows goes on: the one that was written last.
        slot[rows] = np.arange(len(rows))
        rows = above[rows[slot[rows] == np.arange(len(rows))]]
    return launched


def _owners(model: TraceModel, charged: Mask) -> Rows:
    """Return the innermost charged row around the operator of each device row, or the operator."""
    own = np.arange(len(charged))
    above = nearest_ancestor(model.nesting.parent, charged)
    answer = np.where(charged | (above < 0), own, above)
    return values_at(answer, model.links.operator)


def _shares(model: TraceModel, owner: Rows, flops: Floats, moved: Floats) -> tuple[Floats, Floats]:
    """Divide the cost of each call among its kernels by their times.

    Kernels that only help share if there are no others, and copies and memory sets if there are no
    kernels.
    """
    work = work_rows(model) & (owner >= 0)
    is_kernel = work_of_kind(model, kinds.KERNEL)
    sharing = np.flatnonzero(work)
    for better in (is_kernel, is_kernel & ~named(model, "device", is_helper)):
        has_better = np.zeros(len(flops), bool)
        has_better[owner[work & better]] = True
        sharing = sharing[better[sharing] | ~has_better[owner[sharing]]]
    time = model.column("device", "duration_ns")[sharing].astype(np.float64)
    total = np.bincount(owner[sharing], weights=time, minlength=len(flops))
    number = np.bincount(owner[sharing], minlength=len(flops))
    of_total = total[owner[sharing]]
    part = np.where(
        of_total > 0, time / np.where(of_total > 0, of_total, 1), 1 / number[owner[sharing]]
    )
    shares = []
    for values in (flops, moved):
        share = np.full(len(owner), np.nan)
        share[work] = np.where(np.isnan(values[owner[work]]), np.nan, 0.0)
        share[sharing] = values[owner[sharing]] * part
        shares.append(share)
    return shares[0], shares[1]


def _add_messages(model: TraceModel, flops: Floats, moved: Floats) -> None:
    """Give kernels that communicate the bytes of their messages, and no FLOPs."""
    talks = device_communication(model) & work_rows(model)
    if not talks.any():
        return
    message = kernel_message_bytes(model)
    free = talks & np.isnan(flops) & np.isnan(moved) & ~np.isnan(message)
    flops[free], moved[free] = 0.0, message[free]
