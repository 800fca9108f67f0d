"""The options of torch_npu that hints name where an NPU profile lacks data."""

from __future__ import annotations

from nbprof.analysis.operators.operators import operators
from nbprof.model.filters.filter import Filter
from nbprof.timeline.timeline import Timeline
from nbprof.widgets.hints.empty_tables import no_rows
from nbprof.widgets.hints.hints import column_notes, hint, hints
from nbprof.widgets.views.timeline.layout import layout
from nbprof.widgets.views.timeline.workers import WorkerPart
from tests.analysis.generated_npu import recording
from tests.support.models import make_model
from tests.support.npu import make_npu


def test_what_is_missing_is_recorded_by_options_of_torch_npu() -> None:
    found = hints(make_npu())
    missing = {"device", "kernels", "shapes", "stacks", "memory", "modules", "steps"}
    assert set(found) == {*missing, "functions"}  # which cProfile records, whatever the device
    assert "ProfilerActivity.NPU" in found["device"]
    assert "kernel_details.csv" in found["kernels"]
    assert "torch_npu.profiler.profile(with_stack=True)" in found["stacks"]
    assert not any("CUDA" in text for text in found.values())


def test_options_of_other_profilers_are_theirs() -> None:
    assert "ProfilerActivity.CUDA" in hint(make_model(), "device")
    paddle = make_model(metadata={"format": "Paddle"})
    assert "paddle.profiler.Profiler" in hint(paddle, "device")


def test_figures_of_gpus_say_what_npus_have() -> None:
    bare = make_npu(device=[{"name": "a", "start": 0, "end": 10}])
    notes = column_notes(bare, ["tensor_core_pct", "ai_core_pct", "occupancy_pct"])
    assert "AI Cores" in notes["tensor_core_pct"]
    assert "ProfilerLevel.Level1" in notes["ai_core_pct"]
    assert "multiprocessors" in notes["occupancy_pct"]
    model, _ = recording(0)
    assert column_notes(model, ["ai_core_pct"]) == {}


def test_shapes_and_stacks_of_files_without_a_trace_count() -> None:
    model, _ = recording(0, timed=False)
    assert not {"shapes", "stacks"} & set(hints(model))


def test_a_timeline_of_nothing_says_why() -> None:
    said = layout([WorkerPart("", Timeline.of(make_npu()))])["empty"]
    assert "trace_view.json and kernel_details.csv" in said
    assert layout([WorkerPart("", Timeline.of(make_model()))])["empty"]
    model, _ = recording(0)
    assert layout([WorkerPart("", Timeline.of(model))])["empty"] == ""


def test_operators_without_times_say_so() -> None:
    model, _ = recording(0, timed=False)

    def rows_of(filter_: Filter) -> object:
        return operators(model, filter_)

    words = no_rows("operators", model, Filter(threads=(1,)), rows_of)  # type: ignore[arg-type]
    assert words["title"] == "No operators under the thread filter"
    assert "trace_view.json" in words["text"]
    assert words["actions"][0]["filter"] == {}
    words = no_rows("operators", model, Filter(name="nothing"), rows_of)  # type: ignore[arg-type]
    assert "trace_view.json" not in words["text"]
    none = no_rows("operators", make_npu(), Filter(), rows_of)  # type: ignore[arg-type]
    assert "operator_details.csv" in none["text"]


def test_files_that_were_left_out_are_named_where_the_option_was_on() -> None:
    on = {"record_shapes": True, "with_stack": False, "profile_memory": True, "with_modules": True}
    model = make_npu(metadata={**on, "files": ("step_trace_time.csv",)})
    found = hints(model)
    assert found["shapes"] == (
        "No input shapes in this profile. They are in operator_details.csv and trace_view.json,"
        " and neither is here."
    )
    assert found["memory"] == (
        "No memory was recorded. It is in operator_memory.csv and memory_record.csv, and neither is"
        " here."
    )
    assert found["modules"].endswith("They are in trace_view.json, which is not here.")
    assert found["stacks"] == hint(make_npu(), "stacks")
    whole = make_npu(metadata={**on, "files": ("trace_view.json", "memory_record.csv")})
    assert all(
        hints(whole)[name] == hint(make_npu(), name) for name in ("shapes", "memory", "modules")
    )


def test_what_paddle_does_not_record_is_said_of_paddle() -> None:
    model = make_model(metadata={"format": "Paddle"})
    words = no_rows("modules", model, Filter(), lambda _: model.tables["host"])
    assert words["title"] == "No modules recorded"
    assert words["text"] == "Paddle's profiler does not record any."
    assert "PyTorch" not in hint(model, "occupancy")
