"""The first screen of the timeline: device work, if any, and the thread that launches it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.analysis.devices.device_rows import work_rows
from nbprof.loading import load
from nbprof.model.errors import NbprofError
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.workers import WorkerPart
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.model.trace.model import TraceModel

#: Heights in `js/src/views/timeline`, px: the lanes without the line that names what is below,
#: a group, a curve, and the rows of a stream and of a thread with what is around them.
SCREEN, GROUP, CURVE = 440 - 22, 22, 38
ROW = {"stream": (19, 5), "thread": (17, 4)}

SAMPLES = (
    "gpu_resnet_synthetic",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
    "torch_cpu_convnet",
)


def first_screen(timeline: Timeline) -> list[tuple[int, int]]:
    """Return the ranges of rows that fit on the first screen."""
    shown = layout([WorkerPart("", timeline)])
    top, found = 0, []
    for group in shown["groups"]:
        top += GROUP
        if group["collapsed"]:
            continue
        for lane in (lane for lane in shown["lanes"] if lane["group"] == group["key"]):
            pitch, around = ROW[lane["kind"]]
            depths = 1 if lane["folded"] else lane["depths"]
            seen = max(0, min(depths, (SCREEN - top) // pitch))
            found += [(lane["first_row"], lane["first_row"] + seen)] if seen else []
            top += depths * pitch + around
        top += CURVE * sum(track["group"] == group["key"] for track in shown["tracks"])
    return found


def check(model: TraceModel) -> None:
    """Check that the first screen shows device work, and host slices if there is room for both."""
    timeline = Timeline.of(model)
    rows = first_screen(timeline)
    window = timeline.window(0, layout([WorkerPart("", timeline)])["end_ns"] + 1, 1000, rows)
    seen = np.isin(timeline.lanes.row, np.unique(window.row))
    host = timeline.slices.host_rows
    if work_rows(model).any():
        assert seen[host:][work_rows(model)].any()
        assert timeline.lanes.lanes[0].kind == "stream"
        few = sum(lane.kind == "stream" for lane in timeline.lanes.lanes) <= 10
    else:
        few = True
    if few and host:
        assert seen[:host].any()


@pytest.mark.parametrize("name", SAMPLES)
def test_of_samples(name: str) -> None:
    for trace in load(RUNS / name, progress=False):
        check(trace.model)


def test_of_reference_traces(shared_data: Path) -> None:
    seen = 0
    for kind in ("kineto", "ascend", "paddle", "torchcpu"):
        for path in sorted((shared_data / kind).iterdir()):
            try:
                profile = load(path, progress=False)
                models = [trace.model for trace in profile]
            except NbprofError:
                continue  # a text, or a file that nothing can read
            for model in models:
                check(model)
            seen += len(models)
    assert seen >= 30
