"""Recommendation rules about idle devices: what the host did meanwhile, and what made it late."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.advice.findings import Finding, device_list, severity
from nbprof.analysis.advice.places import named_most, outermost_operators
from nbprof.analysis.devices.device_rows import (
    device_type,
    kept_device_rows,
    kept_host_rows,
    work_rows,
)
from nbprof.analysis.devices.gap_causes import CAUSES, causes_of
from nbprof.analysis.devices.gaps import gaps_of_whole_devices
from nbprof.analysis.devices.host_times import width_of_threads
from nbprof.analysis.grouping import NS_PER_US
from nbprof.analysis.kernels.communication import device_communication
from nbprof.model.links.lost_launches import LostLaunches
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.names.name_tests import finds, starts
from nbprof.model.names.roles import named, rows_of_kinds
from nbprof.model.names.short_names import middle_cut
from nbprof.model.reprs import and_list
from nbprof.model.steps.training import trains
from nbprof.model.trace import kinds
from nbprof.model.units import format_count, format_pct, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.analysis.devices.gaps import Gaps

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]

#: Percent of the step time with a kernel running; below it, utilization is reported as low.
LOW_UTILIZATION, VERY_LOW_UTILIZATION = 50.0, 25.0
#: Percent of the step time without any work.
IDLE: Final = 25.0
#: Percent of the step time that a cause of idle time takes, and that makes it severe.
CAUSED: Final = (5.0, 20.0)
#: Launches in an optimizer's step from which on it is taken to update parameter by parameter.
MANY_LAUNCHES: Final = 50
#: The evidence leads to so many devices, as many as the overview lists.
MOST_SHOWN: Final = 100
#: So many kinds of host work are named, and letters of a name shown.
_NAMED, _LONGEST = 3, 48
#: Share of idle time from which on time in nothing recorded, or in the profiler, is said.
_WORTH_SAYING: Final = 0.01

_WAITS: Final = re.compile(r"Synchronize(?:_v\d+)?$|^(?:cuda|hip)Memcpy$")
_UPDATE: Final = "Optimizer.step#"
_TOGETHER: Final = re.compile(r"^aten::_(?:foreach|fused)_")
_COMPILED: Final = re.compile(r"CompiledFxGraph|^Torch-Compiled Region")
_GRAPHS: Final = re.compile(r"GraphLaunch")


def idle(context: RuleContext) -> Iterator[Finding]:
    """Report devices that do little, and what the host did while they did nothing.

    Copies and communication that keep a device from computing are reported by rules of their own.
    Where many kernels were not recorded, devices were busier than the trace shows.
    """
    if LostLaunches.of(context.model).many:
        return
    copies, sent = (context.step_shares.get(one, 0.0) for one in ("memcpy", "communication"))
    on_host = 0.0 if device_communication(context.model).any() else sent
    limit = max(IDLE, copies, sent - on_host)
    rests = [row for row in context.devices if (row["idle_pct"] or 0.0) - on_host > limit]
    low = [row for row in rests if row["utilization_pct"] < LOW_UTILIZATION]
    # NPUs have their own table of idle time.
    if not low and (not rests or context.model.capabilities.step_totals):
        return
    column = "utilization_pct" if low else "idle_pct"
    chosen = sorted(low or rests, key=lambda row: row[column], reverse=not low)
    worst, share = chosen[0], chosen[0][column]
    kind = device_type(context.model)
    listed = device_list(sorted(row["device"] for row in chosen), kind)
    of_worst = (
        f" on {device_list([worst['device']], kind)}, the least used" if len(chosen) > 1 else ""
    )
    if low:
        said = (
            f"{listed} {'has' if len(low) == 1 else 'have'} low utilization: kernels run"
            f" {format_pct(share)} % of {context.step_time}{of_worst}."
        )
    else:
        verb = "is" if len(rests) == 1 else "are"
        said = f"{listed} {verb} idle {format_pct(share)} % of {context.step_time}{of_worst}."
    meanwhile, name, gain = _meanwhile(context, worst["device"])
    yield Finding(
        "low_utilization" if low else "idle",
        "high" if low and share < VERY_LOW_UTILIZATION else "medium",
        said + meanwhile,
        _advice(context, kind, worst["idle_pct"]),
        context.evidence(
            "device_summary",
            share,
            column=column,
            row={"device": worst["device"]},
            devices=sorted(row["device"] for row in chosen[:MOST_SHOWN]),
        ),
        gain or None,
        f"Avoiding {name}",
    )


def _meanwhile(context: RuleContext, device: int) -> tuple[str, str, float]:
    """Return what the host did in the gaps of a device, the first name of that, and its time.

    The profiler's own work is said by that name: nobody can avoid it but by not recording.
    """
    rows = [row for row in context.idle_rows if row["device"] == device]
    total = sum(row["duration_us"] for row in rows)
    by_name: dict[str, float] = {}
    others = {"nothing recorded": 0.0, "the profiler itself": 0.0}
    for row in rows:
        name, time = row["host_operator"], row["duration_us"]
        if row["host_kind"] == "overhead":
            others["the profiler itself"] += time
        elif name is not None:
            by_name[name] = by_name.get(name, 0.0) + time
        elif row["cause"] is not None:
            others["nothing recorded"] += time
    if not by_name or not total:
        return "", "", 0.0
    ranked = sorted(by_name.items(), key=lambda pair: -pair[1])
    also = [pair for pair in others.items() if pair[1] > _WORTH_SAYING * total]
    parts = [
        f"{middle_cut(name, _LONGEST)} ({format_pct(100 * time / total)} %)"
        for name, time in (*ranked[:_NAMED], *also)
    ]
    said = f" While it was idle ({format_time(total)}), the host was in {and_list(parts)}."
    return said, middle_cut(ranked[0][0], _LONGEST), ranked[0][1]


def _advice(context: RuleContext, kind: str, idle_pct: float) -> str:
    """Return what to try, by what the recording shows to be in use already."""
    model = context.model
    if 2 * context.step_shares.get("dataloader", 0.0) > idle_pct:
        return "Most of this is waiting for data: load batches faster before anything else."
    words = model.vocabulary
    changes = " A larger batch may change how the model converges." if trains(model) else ""
    waits = f"so that the {kind.upper()} waits less for the host"
    if kind == "gpu" and not words.launch_ahead and words.compiler == "torch.compile":
        if _in_use(context, _GRAPHS):
            return f"CUDA graphs are in use: try a larger batch, {waits}.{changes}"
        if _in_use(context, _COMPILED, named(model, "device", starts("triton_"))):
            return (
                "The model is compiled already: try CUDA graphs, such as those of"
                f' torch.compile(mode="reduce-overhead"), or a larger batch, {waits}.{changes}'
            )
    graphs = f"{words.compiler} or CUDA graphs" if kind == "gpu" else words.compiler
    return f"Try a larger batch, {words.launch_ahead or graphs}, {waits}.{changes}"


def _in_use(context: RuleContext, calls: re.Pattern[str], kernels: Mask | bool = False) -> bool:
    """Return whether calls with such names, or what they call, launched half of the work's time.

    Only work whose launch is known counts, and given kernels, which they launch for sure; without
    any, that such calls are there is enough.
    """
    model, launch = context.model, context.model.links.launch
    called = named(model, "host", finds(calls))
    inside = called | (nearest_ancestor(model.nesting.parent, called) >= 0)
    theirs = np.append(inside, False)[launch] | kernels
    known = work_rows(model) & kept_device_rows(model, context.filter) & ((launch >= 0) | kernels)
    if not known.any():
        return bool((called & kept_host_rows(model, context.filter)).any())
    time = model.column("device", "duration_ns")
    return bool(0 < time[known].sum() <= 2 * time[known & theirs].sum())


class _LateGaps:
    """Gaps whose next work the host launched only after they had begun, of one device.

    Several devices wait at once: of them, it is the one with the most such time.
    """

    def __init__(self, context: RuleContext) -> None:
        model = context.model
        gaps: Gaps = gaps_of_whole_devices(model, context.filter)
        late = causes_of(model, gaps) == CAUSES.index("host")
        gaps = gaps.where(late)
        device, place = np.unique(gaps.device, return_inverse=True)
        time = np.bincount(place, weights=gaps.end - gaps.start, minlength=1)
        self.gaps = gaps.where(place == time.argmax()) if len(device) > 1 else gaps
        self.launch: Rows = model.links.launch[self.gaps.next]
        self.length_us = (self.gaps.end - self.gaps.start) / NS_PER_US


def synchronization(context: RuleContext) -> Iterator[Finding]:
    """Report operators that make the host wait for the device, which idles after each of them."""
    model = context.model
    waits = rows_of_kinds(model, "host", kinds.RUNTIME) & named(model, "host", finds(_WAITS))
    rows = np.flatnonzero(waits)
    if not len(rows) or model.capabilities.step_totals or LostLaunches.of(model).many:
        return
    late = _LateGaps(context)
    thread, start = model.column("host", "thread"), model.column("host", "start_ns")
    width = width_of_threads(model)
    # The last wait begun on the launching thread before the gap begins, if it still lasts then.
    begun = thread[rows].astype(np.int64) * width + start[rows]
    order = np.argsort(begun)
    on, begins = thread[late.launch].astype(np.int64), late.gaps.start
    place = np.searchsorted(begun[order], on * width + begins, side="right") - 1
    wait = np.append(rows[order], -1)[place]
    lasts = start[wait] + model.column("host", "duration_ns")[wait] >= begins
    waited = (wait >= 0) & (thread[wait] == on) & lasts
    wait, length = wait[waited], late.length_us[waited]
    total = float(length.sum())
    share = 100.0 * total / context.total_us if context.total_us else 0.0
    if share <= CAUSED[0]:
        return
    sources = outermost_operators(model, wait)
    name, line = named_most(model, sources, length)
    mine = model.column("host", "name")[sources] == model.values("host", "name").index(name)
    count = len(np.unique(wait))
    call = model.values("host", "name")[model.column("host", "name")[wait[length.argmax()]]]
    yield Finding(
        "synchronization",
        severity(share, CAUSED),
        f"For {format_pct(share)} % of {context.step_time} the device is idle because the host"
        f" waited for it: {format_count(count, 'wait')} ({call}),"
        f" {format_pct(100 * length[mine].sum() / total)} % of the time in {name}{line}.",
        "Keep values on the device until they are needed on the host: .item(), .cpu(), print,"
        " comparisons in if, and nonzero wait for all work queued. Do so once for many values, or"
        " after the next step was launched.",
        _host_evidence(context, name),
        total,
    )


def optimizer_loop(context: RuleContext) -> Iterator[Finding]:
    """Report an optimizer that updates parameter by parameter, with small kernels."""
    model = context.model
    update = rows_of_kinds(model, "host", kinds.ANNOTATION, kinds.OPERATOR)
    update &= named(model, "host", starts(_UPDATE))
    if not update.any() or model.capabilities.step_totals or LostLaunches.of(model).many:
        return
    around = nearest_ancestor(model.nesting.parent, update)
    launch = model.links.launch
    inside = np.flatnonzero(launch >= 0)
    inside = inside[around[launch[inside]] >= 0]
    together = named(model, "host", finds(_TOGETHER))
    many = together | (nearest_ancestor(model.nesting.parent, together) >= 0)
    single = inside[~many[launch[inside]]]
    launches = np.bincount(around[launch[single]], minlength=len(around))
    loops = launches >= MANY_LAUNCHES
    if 2 * np.count_nonzero(loops) <= np.count_nonzero(update):
        return  # the first update alone may prepare the state of every parameter
    late = _LateGaps(context)
    mine = np.flatnonzero(np.append(loops, False)[around[late.launch]])
    total = float(late.length_us[mine].sum())
    share = 100.0 * total / context.total_us if context.total_us else 0.0
    if share <= CAUSED[0]:
        return
    name, line = named_most(model, around[late.launch[mine]], late.length_us[mine])
    each = round(float(launches[loops].mean()))
    yield Finding(
        "optimizer_loop",
        severity(share, CAUSED),
        f"For {format_pct(share)} % of {context.step_time} the device waits for {name}{line}, which"
        f" launches {each:,} kernels or copies one by one.",
        "Let the optimizer update all parameters together: fused=True, or foreach=True, where it"
        " has them.",
        _host_evidence(context, name),
        total,
    )


def _host_evidence(context: RuleContext, name: str) -> str:
    """Return as evidence the row of `idle_time` with the most time of a name."""
    rows = context.idle_rows
    mine = [row for row in rows if row["host_operator"] == name] or rows
    row = max(mine, key=lambda row: row["duration_us"])
    keys = ("device", "host_operator", "host_kind", "cause")
    return context.evidence(
        "idle_time",
        row["duration_us"],
        column="duration_us",
        row={key: row[key] for key in keys},
    )
