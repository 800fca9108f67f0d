"""Recommendation rules about steps: data loading, slow steps, stacks, and missing step marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice.findings import Finding, severity, step_share
from nbprof.analysis.devices.device_rows import kept_host_rows
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.steps.steps import steps
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import data_loader_rows, named, operator_rows
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.steps.training import is_inference
from nbprof.model.trace import kinds
from nbprof.model.units import format_count, format_time

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.trace.model import TraceModel

#: Percent of the average step above which a category is reported, and above which it is severe.
DATA_LOADING = (5.0, 20.0)
#: A step is reported that took so many times the median, of so many steps at least.
UNEVEN, FEWEST_STEPS = 1.5, 3
#: Percent of the step time with a kernel running below which a device waits for the host.
WAITING = 50.0
#: Iterators over worker processes: PyTorch's _MultiProcessingDataLoaderIter, and Paddle's
#: _DataLoaderIterMultiProcess.
_IN_WORKERS: Final = re.compile("MultiProcess")


def data_loading(context: RuleContext) -> Iterator[Finding]:
    """Report that waiting for the next batch takes over 5 % of the step."""
    share = context.step_shares.get("dataloader", 0.0)
    if share <= DATA_LOADING[0]:
        return
    if context.model.cached("loads in workers", lambda: _loads_in_workers(context.model)):
        advice = (
            "Worker processes are in use already: try more of them, a larger prefetch_factor,"
            " or cheaper transforms."
        )
    else:
        advice = "Load batches in worker processes with DataLoader(num_workers=…)."
    yield Finding(
        "data_loading",
        severity(share, DATA_LOADING),
        f"Waiting for the data loader takes {share:.1f} % of {context.step_time}.",
        advice,
        step_share(context, "dataloader", share),
        context.step_gain("dataloader"),
    )


def uneven_steps(context: RuleContext) -> Iterator[Finding]:
    """Report that a step took much longer than the median, and the operator that differs most."""
    if context.model.capabilities.step_totals or not context.model.steps.recorded:
        return
    rows = [row for row in steps(context.model, context.filter).to_pylist() if row["complete"]]
    if len(rows) < FEWEST_STEPS:
        return
    ordered = sorted(rows, key=lambda row: row["total_us"])
    slowest, usual = ordered[-1], ordered[(len(ordered) - 1) // 2]
    more = slowest["total_us"] - usual["total_us"]
    if not usual["total_us"] or slowest["total_us"] <= UNEVEN * usual["total_us"]:
        return
    on_device = 2 * (slowest["kernel_us"] - usual["kernel_us"]) > more
    column = "device_self_us" if on_device else "host_self_us"
    times = [
        {
            row["name"]: row[column] or 0.0
            for row in operators(
                context.model, context.filter.replace(steps=one["step"])
            ).to_pylist()
        }
        for one in (slowest, usual)
    ]
    name = max(times[0], key=lambda one: times[0][one] - times[1].get(one, 0.0), default="")
    longer = times[0].get(name, 0.0) - times[1].get(name, 0.0)
    where = "device" if on_device else "host"
    differs = f" {name} took {format_time(longer)} more on the {where}." if longer > 0 else ""
    first = slowest is rows[0]
    yield Finding(
        "uneven_steps",
        "medium",
        f"Step {slowest['step']} took {format_time(slowest['total_us'])},"
        f" {slowest['total_us'] / usual['total_us']:.1f} times the median of"
        f" {format_count(len(rows), 'step')} ({format_time(usual['total_us'])}).{differs}",
        "It is the first step, so it may hold warm-up: leave it out of means (steps=…), or record"
        " later with schedule(warmup=…)."
        if first
        else "Compare it with others in the timeline; all means include it.",
        context.evidence(
            "steps", slowest["total_us"], column="total_us", row={"step": slowest["step"]}
        ),
        None if first else sum(max(row["total_us"] - usual["total_us"], 0.0) for row in rows),
    )


def stacks(context: RuleContext) -> Iterator[Finding]:
    """Report that recording Python stacks made the host, which the device waits for, slower."""
    model = context.model
    kept = kept_host_rows(model, context.filter)
    calls = int((kept & (model.column("host", "kind") == kinds.PYTHON)).sum())
    low = [
        row["utilization_pct"]
        for row in context.devices
        if (row["utilization_pct"] or 100.0) < WAITING
    ]
    if not calls or not low:
        return
    count = int((kept & operator_rows(model)).sum())
    option = model.dialect.options.get("stacks")
    without = option.name if option else "Python's calls"
    each = f", {calls / count:,.0f} for each operator," if count else ""
    yield Finding(
        "stacks",
        "low",
        f"Recording {format_count(calls, 'Python call')}{each} slowed down the host, which the"
        " device waits for.",
        f"Take times from a recording without {without}, stacks from another.",
        context.evidence("device_summary", min(low), column="utilization_pct", row=_worst(context)),
    )


def _worst(context: RuleContext) -> dict[str, int]:
    known = [row for row in context.devices if row["utilization_pct"] is not None]
    return {"device": min(known, key=lambda row: row["utilization_pct"])["device"]}


def steps_not_marked(context: RuleContext) -> Iterator[Finding]:
    """Report that no steps are marked, so the whole recording counts as one step."""
    model = context.model
    nothing_ran = not any(model.tables[side].num_rows for side in ("host", "device"))
    has_step_marks = model.steps.recorded or bool((model.column("npu_steps", "step") >= 0).any())
    if has_step_marks or nothing_ran:  # memory-only recordings have no steps to mark
        return
    yield Finding(
        "steps_not_marked",
        "low",
        "No steps are marked, so the whole recording counts as one step.",
        _how_to_mark(model),
        context.evidence("steps", 1, steps=None, time_us=None),
    )


def _how_to_mark(model: TraceModel) -> str:
    """Return how to mark steps: choose an existing label, or call the profiler."""
    candidates = step_candidates(model)
    if candidates:
        first = candidates[0]
        return (
            f"{first.name} repeats {first.count:,} times: choose it under “Steps by”, or with"
            f" nbprof.show(…, step={first.pattern!r})."
        )
    if not model.tables["host"].num_rows:
        return model.dialect.hint("host")
    what = "batch" if is_inference(model) else "training step"
    return model.vocabulary.mark_steps.format(what=what)


def _loads_in_workers(model: TraceModel) -> bool:
    in_workers = named(model, "host", finds(_IN_WORKERS))
    return bool((in_workers & data_loader_rows(model)).any())
