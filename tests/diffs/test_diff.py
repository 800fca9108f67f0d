"""The differences of two runs: their rows, figures, noise, filters and sides."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc
import pytest

import nbprof
from nbprof.diffs import DIFF_TABLES
from nbprof.diffs.figures import waterfall
from nbprof.diffs.lookup import words
from tests.diffs.runs import NET, Op, changed, diff_of, run

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

TABLES = tuple(words())
#: Words of tables whose rows both sides have in common by key.
KEYED = tuple(
    word for word, (spec, _) in words().items() if spec.measure and "row" not in spec.keys
)


def deltas(table: pa.Table) -> dict[str, list[Any]]:
    return {
        name: table[name].to_pylist() for name in table.column_names if name.startswith("delta_")
    }


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> nbprof.Diff:
    """A run, and one whose second linear layer takes twice as long."""
    return diff_of(tmp_path_factory.mktemp("slower"), NET, changed(NET, 3, device=80, host=50))


@pytest.mark.parametrize("word", TABLES)
def test_a_run_against_itself_is_all_zero(samples: Path, word: str) -> None:
    path = samples / "gpu_resnet_synthetic"
    table = nbprof.diff(path, path).table(word)
    for values in deltas(table).values():
        assert all(value in (0, None) for value in values)
    if "change" in table.column_names:
        assert set(table["change"].to_pylist()) <= {"same", None}


@pytest.mark.parametrize("word", KEYED)
def test_swapping_sides_negates(slower: nbprof.Diff, word: str) -> None:
    spec, options = words()[word]
    here, there = slower.table(word), slower.swapped().table(word)
    keys = spec.row_keys(options.get("group_by", ""))

    def by_key(table: pa.Table) -> dict[Any, Any]:
        rows = table.to_pylist()
        return {tuple(row[key] for key in keys): row for row in rows}

    mine, theirs = by_key(here), by_key(there)
    assert mine.keys() == theirs.keys()
    opposite = {"up": "down", "down": "up", "added": "removed", "removed": "added", "same": "same"}
    for key, row in mine.items():
        other = theirs[key]
        for name, value in row.items():
            if name.startswith("delta_") and not name.endswith("_pct"):
                assert other[name] == (None if value is None else -value)
            if name.startswith("baseline_"):
                assert other[name.replace("baseline", "candidate", 1)] == value
        assert other["change"] == opposite[row["change"]]


def test_figures_are_medians_over_steps(slower: nbprof.Diff) -> None:
    row = slower.operators().to_pylist()[0]
    assert row["name"] == "aten::linear"
    trace = slower.baseline
    values = [
        trace.filter(steps=int(step)).operators().filter(pc.field("name") == "aten::linear")
        for step in trace.model.steps.number
    ]
    for figure in ("device_self_us", "device_total_us", "host_self_us", "host_total_us", "calls"):
        numbers = [float(one[figure][0].as_py()) for one in values]
        assert row[f"baseline_{figure}"] == pytest.approx(np.median(numbers))


def test_noise_follows_the_formula(slower: nbprof.Diff) -> None:
    row = slower.kernels().to_pylist()[0]
    assert row["name"] == "linear_kernel"
    spreads = []
    for trace in (slower.baseline, slower.candidate):
        times = []
        for step in trace.model.steps.number.tolist():
            kernels = trace.filter(steps=step).kernels().to_pylist()
            times.append(next(r["total_us"] for r in kernels if r["name"] == "linear_kernel"))
        spreads.append(1.4826 * np.median(np.abs(np.array(times) - np.median(times))))
    error = np.sqrt(spreads[0] ** 2 / 6 + spreads[1] ** 2 / 6)
    assert row["noise_pct"] == pytest.approx(100 * error / row["baseline_total_us"])
    assert row["noise_pct"] > 0
    assert row["change"] == "up"


def test_a_difference_within_the_noise_is_no_change(tmp_path: Path) -> None:
    found = diff_of(tmp_path, NET, changed(NET, 0, device=60.5), jitter=0.05)
    row = next(r for r in found.kernels().to_pylist() if r["name"] == "conv2d_kernel")
    assert row["change"] == "same"
    assert row["delta_total_us"] != 0


@pytest.mark.parametrize("steps", [1, 2])
def test_without_three_steps_there_is_no_estimate(tmp_path: Path, steps: int) -> None:
    found = diff_of(tmp_path, NET, changed(NET, 0, device=61), steps=steps, jitter=0.0)
    assert not found.has_noise
    assert any("no estimate of the noise" in note for note in found.notes())
    rows = {row["name"]: row for row in found.kernels().to_pylist()}
    assert rows["conv2d_kernel"]["noise_pct"] is None
    assert rows["conv2d_kernel"]["change"] == "up"
    assert rows["relu_kernel"]["change"] == "same"


def test_runs_of_different_length_compare_per_step(tmp_path: Path) -> None:
    paths = [run(tmp_path / str(steps), steps=steps, jitter=0.0) for steps in (3, 9)]
    found = nbprof.diff(*paths)
    assert found.complete_steps == (3, 9)
    assert set(found.operators()["change"].to_pylist()) == {"same"}
    assert all(abs(value) < 1e-9 for value in deltas(found.kernels())["delta_total_us"])
    assert any("exist only in the candidate" in note for note in found.notes())
    sides = found.steps()["side"].to_pylist()
    assert sides == ["both"] * 3 + ["candidate"] * 6


def test_steps_without_common_numbers_are_paired_in_order(tmp_path: Path) -> None:
    paths = [run(tmp_path / str(first), first=first, steps=4) for first in (3, 20)]
    found = nbprof.diff(*paths)
    assert found.aligned_steps() == [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert any("share no step number" in note for note in found.notes())
    found = nbprof.diff(paths[0], run(tmp_path / "late", first=5, steps=4))
    assert found.aligned_steps() == [(2, 0), (3, 1)]
    assert found.steps()["side"].to_pylist() == ["baseline"] * 2 + ["both"] * 2 + ["candidate"] * 2


def test_the_waterfall_leads_from_step_to_step(slower: nbprof.Diff) -> None:
    for limit in (0, 1, 10, 100):
        rows = slower.waterfall(limit=limit).to_pylist()
        assert rows[0]["kind"] == "baseline"
        assert rows[-1]["kind"] == "candidate"
        assert rows[0]["from_us"] == rows[-1]["from_us"] == 0
        bars = rows[1:-1]
        assert bars[0]["from_us"] == rows[0]["to_us"]
        assert bars[-1]["to_us"] == rows[-1]["to_us"]
        for before, after in pairwise(bars):
            assert before["to_us"] == after["from_us"]
        sizes = [abs(row["delta_us"]) for row in bars if row["kind"] == "change"]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) <= limit
    step = slower.categories().to_pylist()[0]
    assert rows[0]["to_us"] == step["baseline_total_us"]
    assert rows[-1]["to_us"] == step["candidate_total_us"]
    assert rows[1]["name"] == "aten::linear"


def test_a_click_on_the_waterfall_keeps_its_rows(slower: nbprof.Diff) -> None:
    for row in slower.waterfall().to_pylist():
        if row["kind"] == "change" and row["filter_field"]:
            kept = slower.filter(**{row["filter_field"]: row["filter_value"]})
            names = {key[1] for side in kept.sides.cells(waterfall.measure) for key in side.keys}
            assert row["name"] in names


def test_filters_apply_to_both_sides(slower: nbprof.Diff) -> None:
    narrow = slower.filter(name="linear").filter(steps=(4, 6))
    assert narrow.complete_steps == (3, 3)
    assert narrow.operators()["name"].to_pylist() == ["aten::linear", "linearBackward0"]
    assert narrow.baseline.active_filter == narrow.candidate.active_filter
    assert narrow.filter(name=None).operators().num_rows == slower.operators().num_rows


def test_a_filtered_copy_differs_by_what_is_filtered_out(samples: Path) -> None:
    trace = nbprof.load(samples / "gpu_resnet_synthetic").trace()
    rest = trace.filter(name="/conv/")
    table = nbprof.diff(trace, rest).operators(figure="host_self_us")
    for row in table.to_pylist():
        if "conv" in row["name"].lower():
            assert row["delta_host_self_us"] == 0
        else:
            assert row["change"] == "removed"
            assert row["candidate_calls"] == 0
            assert row["delta_host_self_us"] == -row["baseline_host_self_us"]


def test_whole_recordings_compare_where_a_side_has_no_steps(tmp_path: Path, samples: Path) -> None:
    from tests.support.traces import op, write

    path = write(
        tmp_path / "a" / "w.pt.trace.json", [op("aten::mm", 0, 40), op("aten::mm", 50, 10)]
    )
    found = nbprof.diff(path, run(tmp_path / "b", [Op("aten::mm", 20)], steps=3, jitter=0.0))
    assert not found.per_step
    row = next(row for row in found.operators().to_pylist() if row["name"] == "aten::mm")
    assert (row["baseline_calls"], row["candidate_calls"]) == (2, 3)
    assert row["baseline_host_self_us"] == pytest.approx(50)
    assert row["candidate_host_self_us"] == pytest.approx(60)
    assert row["noise_pct"] is None
    assert any("Whole recordings" in note for note in found.notes())


def test_workers_are_averaged(samples: Path) -> None:
    profile = nbprof.load(samples / "gpu_resnet_synthetic")
    both = profile.filter(workers=["worker0", "worker1"])
    found = nbprof.diff(both, both)
    assert len(found.baseline_traces) == 2
    means = found.categories().to_pylist()[0]
    tables = [trace.steps().filter(pc.field("complete")) for trace in both]
    per_step = np.mean([table["total_us"].to_numpy() for table in tables], axis=0)
    assert means["baseline_total_us"] == pytest.approx(np.median(per_step))
    one = found.filter(workers="worker1")
    assert [trace.worker for trace in one.baseline_traces] == ["worker1"]


def test_sides_of_one_profile(samples: Path) -> None:
    profile = nbprof.load(samples / "torch_cpu_convnet")
    found = profile.diff(worker="worker0", to_worker="worker1", span=2)
    sides = [(one.worker, one.span) for one in (found.baseline, found.candidate)]
    assert sides == [("worker0", 2), ("worker1", 2)]
    assert profile.diff(to_span=2).candidate.span == 2
    with pytest.raises(nbprof.UnknownNameError, match="the same trace"):
        profile.diff(worker="worker1")
    with pytest.raises(nbprof.UnknownNameError, match="no worker 'w'"):
        profile.diff(to_worker="w")


def test_kernels_of_other_devices_compare_through_operators(tmp_path: Path) -> None:
    one = run(tmp_path / "a", [Op("aten::mm", 20, 30, kernel="ampere_sgemm")])
    two = run(tmp_path / "b", [Op("aten::mm", 20, 45, kernel="Cijk_Ailk")], device="AMD MI300X")
    found = nbprof.diff(one, two)
    (row,) = found.kernels().to_pylist()
    assert row["name"] == "aten::mm"
    assert (row["baseline_kernels"], row["candidate_kernels"]) == (
        '["ampere_sgemm"]',
        '["Cijk_Ailk"]',
    )
    assert row["change"] == "up"
    names = found.kernels(group_by="name")["change"].to_pylist()
    assert sorted(names) == ["added", "removed"]
    assert any("different devices" in note for note in found.notes())


def test_mistakes_are_explained(slower: nbprof.Diff) -> None:
    with pytest.raises(nbprof.UnknownNameError, match=r"no differences by 'operater'.*'operator'"):
        slower.table("operater")
    with pytest.raises(nbprof.UnknownNameError, match="there is no figure 'time'"):
        slower.operators(figure="time")


def test_every_column_has_a_unit_and_a_meaning(slower: nbprof.Diff) -> None:
    for word, (spec, _) in words().items():
        assert spec is DIFF_TABLES[spec.name]
        for field in slower.table(word).schema:
            assert field.metadata[b"meaning"], (word, field.name)
            assert b"unit" in field.metadata


def test_the_first_row_has_the_largest_change(slower: nbprof.Diff) -> None:
    table = slower.operators(figure="host_total_us")
    sizes = [abs(value) for value in table["delta_host_total_us"].to_pylist()]
    assert sizes == sorted(sizes, reverse=True)
    assert table.schema.field("change").metadata[b"figure"] == b"host_total_us"


def test_a_device_with_another_number_in_the_list_has_its_name(shared_data: Path) -> None:
    sides = [shared_data / "kineto" / name for name in ("h100_qwen", "mi300_qwen")]
    notes = nbprof.diff(*sides).notes()
    assert any("(NVIDIA H100 80GB HBM3 and AMD Instinct MI300X VF)" in note for note in notes)


def test_calls_without_times_count_for_every_step(shared_data: Path) -> None:
    trace = nbprof.load(shared_data / "ascend" / "msinsight_unit_rank").trace()
    assert trace.model.steps.recorded
    rows = {row["name"]: row for row in nbprof.diff(trace, trace).operators().to_pylist()}
    steps = len(trace.model.steps.number)
    for row in trace.operators().to_pylist():
        assert rows[row["name"]]["baseline_calls"] * steps == row["calls"]
        mine = rows[row["name"]]["candidate_host_total_us"] * steps
        assert mine == pytest.approx(row["host_total_us"])
