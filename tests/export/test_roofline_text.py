"""The achieved rates in the text summary are those of the table."""

from __future__ import annotations

import nbprof
from nbprof.export.summary_tables import Summary
from nbprof.export.text.roofline import roofline
from tests.conftest import ROOT


def test_the_operators_with_the_most_device_time_are_listed() -> None:
    trace = nbprof.load(ROOT / "tests/samples/gpu_resnet_synthetic").trace()
    lines = roofline(Summary(trace))
    rows = [row for row in trace.operator_costs().to_pylist() if row["tflops_per_s"]]
    rows.sort(key=lambda row: -row["device_us"])
    assert lines[0].endswith("% of device time has figures")
    assert len(lines) == 6
    for line, row in zip(lines[1:], rows, strict=False):
        words = line.split()
        assert float(words[0]) == round(row["tflops_per_s"], 2)
        assert words[-2:] == [row["bound"], row["name"]]


def test_nothing_is_said_without_rates() -> None:
    trace = nbprof.load(ROOT / "samples/torch_cpu_convnet").trace()
    assert roofline(Summary(trace)) == []
