"""Rules about the steps: data loading, communication, and whether steps are marked at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.analysis.findings import Finding
from nbprof.analysis.npu import is_npu
from nbprof.model.kinds import CATEGORIES
from nbprof.model.roles import data_loader_rows, named

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.analysis.findings import Scene
    from nbprof.model.trace_model import TraceModel

#: Percent of the average step above which a category is worth a word, and above which it is grave.
DATA_LOADING = (5.0, 20.0)
COMMUNICATION = (10.0, 25.0)


def data_loading(scene: Scene) -> Iterator[Finding]:
    """Report waits for the next batch that take over 5 % of the step."""
    share = scene.step_shares.get("dataloader", 0.0)
    if share <= DATA_LOADING[0]:
        return
    if scene.model.cached("loads in workers", lambda: _loads_in_workers(scene.model)):
        advice = (
            "Worker processes are in use already: try more of them, a larger prefetch_factor,"
            " or cheaper transforms."
        )
    else:
        advice = "Load batches in worker processes with DataLoader(num_workers=…)."
    yield Finding(
        "data_loading",
        _severity(share, DATA_LOADING),
        f"{share:.1f} % of the step time is spent waiting for the data loader.",
        advice,
        _step_share(scene, "dataloader", share),
    )


def communication(scene: Scene) -> Iterator[Finding]:
    """Report communication that nothing hides and that takes over 10 % of the step."""
    share = scene.step_shares.get("communication", 0.0)
    if is_npu(scene.model) or share <= COMMUNICATION[0]:
        return
    yield Finding(
        "communication",
        _severity(share, COMMUNICATION),
        f"{share:.1f} % of the step time is communication that no computation hides.",
        "Try gradient compression, gradient accumulation or a larger batch (with LAMB, if it gets"
        " very large).",
        _step_share(scene, "communication", share),
    )


def steps_not_marked(scene: Scene) -> Iterator[Finding]:
    """Report that `prof.step()` was not called, so that the whole recording is one step."""
    model = scene.model
    nothing_ran = not any(model.tables[side].num_rows for side in ("host", "device"))
    told = model.steps.recorded or bool((model.column("npu_steps", "step") >= 0).any())
    if told or nothing_ran:  # recordings of memory alone have no steps to mark
        return
    yield Finding(
        "steps_not_marked",
        "low",
        "0 steps are marked, so the whole recording counts as one step.",
        "Call prof.step() at the end of every training step.",
        scene.evidence("steps", 1, steps=None, time_us=None),
    )


def _loads_in_workers(model: TraceModel) -> bool:
    # _MultiProcessingDataLoaderIter of PyTorch, _DataLoaderIterMultiProcess of Paddle.
    in_workers = named(model, "host", lambda name: "MultiProcess" in name)
    return bool((in_workers & data_loader_rows(model)).any())


def _severity(share: float, limits: tuple[float, float]) -> str:
    return "high" if share > limits[1] else "medium"


def _step_share(scene: Scene, name: str, share: float) -> str:
    row = {"category": CATEGORIES[name]}
    return scene.evidence("overview", share, column="pct", row=row)
