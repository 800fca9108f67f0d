"""Recommendation rules about steps: data loading, and missing step marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from nbprof.analysis.advice.findings import Finding, severity, step_share
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import data_loader_rows, named
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.steps.training import is_inference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.advice.findings import RuleContext
    from nbprof.model.trace.model import TraceModel

#: Percent of the average step above which a category is reported, and above which it is severe.
DATA_LOADING = (5.0, 20.0)
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
        f"{share:.1f} % of {context.step_time} is spent waiting for the data loader.",
        advice,
        step_share(context, "dataloader", share),
    )


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
            f"{first.count:,} times there is {first.name} on one thread: choose it as the step with"
            f" nbprof.load(…, step={first.pattern!r})."
        )
    if not model.tables["host"].num_rows:
        return model.dialect.hint("host")
    what = "batch" if is_inference(model) else "training step"
    return model.vocabulary.mark_steps.format(what=what)


def _loads_in_workers(model: TraceModel) -> bool:
    in_workers = named(model, "host", finds(_IN_WORKERS))
    return bool((in_workers & data_loader_rows(model)).any())
