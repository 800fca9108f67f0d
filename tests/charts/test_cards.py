"""Cards: which ones a trace has, and the numbers in their charts."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from nbprof.charts.cards.card_charts import numbers, svg_of, wide
from nbprof.charts.cards.cards import Card, CardChart, Switch, choices_of
from nbprof.charts.cards.kernels import kernel_cards
from nbprof.charts.cards.operators import operator_cards
from nbprof.charts.cards.overview import TYPED_TABLES, cards_of, overview_cards, tables_for
from nbprof.charts.theme import palette
from nbprof.model.filters.filter import NO_FILTER
from nbprof.model.trace.dialect import Capabilities
from nbprof.tables import TABLES
from tests.charts.support import assert_legible, columns, figure_of, texts
from tests.support.models import make_model

NAMES = ["DataLoader", "Forward", "Backward", "Optimization", "Other"]


def stages(steps: int = 4, *, device: bool = True) -> dict[str, pa.Table]:
    """Return the two tables of stages, with random times."""
    random = np.random.default_rng(steps)
    host, on_device = random.uniform(1, 900, (2, steps, 5))
    table = pa.table(
        {
            "step": np.repeat(np.arange(3, 3 + steps), 5),
            "stage": NAMES * steps,
            "host_us": host.ravel(),
            "device_us": on_device.ravel() if device else pa.nulls(5 * steps, pa.float64()),
        }
    )
    summary: dict[str, Any] = {
        "stage": ["Step", *NAMES],
        "host_total_us": [host.sum(), *host.sum(axis=0)],
        "device_total_us": [on_device.sum(), *on_device.sum(axis=0)] if device else [None] * 6,
    }
    return {"stages": table, "stage_summary": pa.table(summary)}


def events() -> pa.Table:
    rows = [
        ("Forward", "Operator", "host", 6, 900.0, 60.0),
        ("Backward", "Operator", "host", 4, 600.0, 40.0),
        ("Forward", "<b>Custom</b>", "host", 1, 5.0, 100.0),
        ("Backward", "Kernel", "device", 9, 70.0, 100.0),
    ]
    keys = ("stage", "event_type", "side", "calls", "duration_us", "pct")
    return pa.table(dict(zip(keys, map(list, zip(*rows, strict=True)), strict=True)))


def phases(count: int) -> pa.Table:
    names = np.repeat([f"op{i}" for i in range(count)], 2)
    host = np.arange(1.0, 2 * count + 1)
    return pa.table(
        {
            "name": names,
            "phase": ["compute", "others"] * count,
            "host_us": host,
            "device_us": np.zeros(2 * count),
        }
    )


def test_only_what_a_trace_has_gets_a_card() -> None:
    nothing = {name: pa.table({}) for name in ("npu_steps", "stages", "stage_summary")}
    assert overview_cards({}) == []
    assert overview_cards({"npu_steps": nothing["npu_steps"], "events": events().slice(0, 0)}) == []
    assert [card.name for card in overview_cards(stages())] == ["stages"]
    assert not set(TYPED_TABLES) & set(tables_for(Capabilities()))
    assert tables_for(Capabilities(event_types=True))[-1:] == TYPED_TABLES


def idle(devices: int = 1) -> dict[str, pa.Table]:
    """Return idle times by cause, and the times of devices that they add up to."""
    causes = {
        "device": [0, 0, 0, devices - 1],
        "host_operator": ["aten::mm", "aten::mm", None, "<b>load</b>"],
        "cause": ["host", "kernel", None, "other"],
        "gaps": [1, 2, 1, 3],
        "duration_us": [40.0, 5.0, 15.0, 20.0],
    }
    each = 80.0 / devices
    times = {
        "device_type": ["gpu"] * devices,
        "device": list(range(devices)),
        "idle_us": [each] * devices,
        "total_us": [400.0 / devices] * devices,
    }
    return {"idle_time": pa.table(causes), "device_time": pa.table(times)}


def test_idle_time_is_told_by_what_the_host_did() -> None:
    [card] = overview_cards(idle())
    assert card.note.startswith("GPU 0 was idle 80 µs of 400 µs (20.0 %); what the host ")
    [chart] = card.shown({})
    found = wide(chart, idle()["idle_time"])
    assert found.to_pylist() == [
        {"host_operator": name, **dict(zip(found.column_names[1:], times, strict=True))}
        for name, times in (
            ("aten::mm", (40.0, 5.0, 0.0, 0.0)),
            ("no recorded host work", (0.0, 0.0, 0.0, 15.0)),
            ("<b>load</b>", (0.0, 0.0, 20.0, 0.0)),
        )
    ]


def test_idle_time_of_several_devices_is_told_by_device() -> None:
    [card] = overview_cards(idle(2))
    assert card.note.startswith("2 devices were idle 80 µs of 400 µs (20.0 %)")
    [chart] = card.shown({"by": "device"})
    found = wide(chart, idle(2)["idle_time"]).to_pylist()
    assert [(row["device"], sum(list(row.values())[1:])) for row in found] == [(0, 60), (1, 20)]


@pytest.mark.parametrize("without", ["idle_time", "device_time"])
def test_where_no_device_was_recorded_there_is_no_idle_time(without: str) -> None:
    tables = idle()
    assert overview_cards({**tables, without: tables[without].slice(0, 0)}) == []


def test_a_recording_without_steps_has_stages_as_a_whole() -> None:
    (card,) = overview_cards(stages(1), recorded=False)
    assert card.note.startswith("the whole recording; host: time on the host")
    holes = {chart.kind: chart.hole for chart in card.charts[""]}
    assert holes == {"donut": "in the recording", "bars": ""}


def test_a_single_step_has_no_stages_of_each_step() -> None:
    """They are the same as those of all steps, unless a filter leaves one step of several."""
    [single] = overview_cards(stages(1))
    assert list(single.charts) == [""]
    every = stages(4)["stage_summary"]
    [filtered] = overview_cards(stages(1), stages=every)
    assert list(filtered.charts) == ["all", "host", "device"]


def test_stages_of_inference_are_those_that_the_tables_have() -> None:
    names = ["DataLoader", "Prefill", "Decode", "Mixed", "Forward", "Other"]
    times = [0.0, 30.0, 60.0, 0.0, 5.0, 5.0]
    summary = {"stage": ["Step", *names], "host_total_us": [100.0, *times]}
    summary["device_total_us"] = [80.0, *times]
    rows = {"step": [0] * 6 + [1] * 6, "stage": names * 2}
    rows |= {"host_us": times * 2, "device_us": times * 2}
    [card] = overview_cards({"stages": pa.table(rows), "stage_summary": pa.table(summary)})
    assert card.note == (
        "sum over steps; host: time on the host; device: work the stage launched, which may"
        " overlap. Here a step is what the host took, above it ends with its device work"
    )
    for charts in card.charts.values():
        assert [key for chart in charts for key, _, _ in chart.series][:6] == names
        assert not {"Backward", "Optimization"} & {key for key, _, _ in charts[0].series}


def test_steps_that_are_all_rest_have_no_stages() -> None:
    found = stages()
    summary = found["stage_summary"].to_pydict()
    summary["host_total_us"] = [9.0, 0.0, 0.0, None, 0.0, 9.0]
    assert overview_cards({**found, "stage_summary": pa.table(summary)}) == []


def test_a_side_without_time_is_not_offered() -> None:
    [card] = overview_cards(stages(device=False))
    assert [chart.name for chart in card.shown({})] == ["stage_summary_host"]
    assert card.switches[0].options == (("all", "All steps"), ("host", "Each, host"))
    assert list(card.charts) == ["all", "host"]


def test_the_bars_of_steps_are_the_rows_of_the_table() -> None:
    found = stages(7)
    [card] = overview_cards(found)
    for side in ("host", "device"):
        [chart] = card.shown({"side": side})
        rows = wide(chart, found["stages"]).to_pylist()
        expected: dict[int, dict[str, float]] = {}
        for row in found["stages"].to_pylist():
            expected.setdefault(row["step"], {})[row["stage"]] = row[f"{side}_us"]
        assert rows == [{"step": step, **parts} for step, parts in expected.items()]
        drawn = figure_of(chart, found["stages"], unit="us")
        assert list(columns(drawn, "bars")["s1"]) == [row["Forward"] for row in rows]
        assert_legible(drawn)


def test_events_by_type_and_by_stage_add_up_to_the_same() -> None:
    [card] = overview_cards({"events": events()})
    assert {switch.key for switch in card.switches} == {"side", "way"}
    [by_type] = card.shown({"side": "host", "way": "time"})
    [by_stage] = card.shown({"side": "host", "way": "stage"})
    first, second = (wide(chart, events()).to_pydict() for chart in (by_type, by_stage))
    assert first.pop("event_type") == ["Operator", "<b>Custom</b>"]
    assert second.pop("stage") == ["Forward", "Backward"]
    assert first["Forward"] == [900.0, 5.0]
    assert second["Operator"] == [900.0, 600.0]
    assert sum(map(sum, first.values())) == sum(map(sum, second.values())) == 1505.0
    [calls] = card.shown({"side": "device", "way": "calls"})
    assert wide(calls, events())["Backward"].to_pylist() == [9]  # whole numbers, shown so
    assert wide(calls, events()).schema.field("Backward").type == pa.int64()
    assert "calls" in texts(figure_of(calls, events()))


def test_npu_steps_count_what_overlaps_once() -> None:
    table = pa.table(
        {
            "step": [7, None],
            "computing_us": [10.0, 5.0],
            "overlapped_us": [4.0, None],
            "communication_not_overlapped_us": [3.0, 1.0],
            "free_us": [2.0, 9.0],
        }
    )
    [card] = overview_cards({"npu_steps": table})
    [chart] = card.shown({})
    rows = wide(chart, table).to_pydict()
    assert rows["step"] == [7, None]
    assert rows["Computing alone"] == [6.0, 5.0]
    assert [
        sum(row[label] for label in rows if label != "step")
        for row in wide(chart, table).to_pylist()
    ] == [15.0, 15.0]
    assert svg_of(chart, table, palette("dark")) is not None


@pytest.mark.parametrize("count", [3, 12, 13, 40])
def test_of_many_operators_the_longest_are_bars_and_the_rest_is_one(count: int) -> None:
    table = phases(count)
    [card] = operator_cards({"operator_phases": table})
    assert card.switches[0].options == (("host", "Host"),)
    [chart] = card.shown({})
    rows = wide(chart, table)
    names = rows["name"].to_pylist()
    if count <= chart.most:
        assert names == [f"op{i}" for i in range(count)]
    else:
        assert names == [*(f"op{i}" for i in reversed(range(count - chart.most, count))), None]
        rest = count - chart.most
        assert f"{rest} other{'s' if rest > 1 else ''}" in texts(figure_of(chart, table))
    assert sum(rows["Compute"].to_pylist()) == sum(table["host_us"].to_pylist()[::2])
    assert operator_cards({"operator_phases": table.slice(0, 0)}) == []


def test_cores_keep_their_colours_and_unknown_ones_a_name() -> None:
    table = pa.table({"accelerator_core": ["HCCL", "AI_CORE", None], "total_us": [5.0, 9.0, 1.0]})
    [card] = kernel_cards({"accelerator_cores": table})
    [chart] = card.shown({})
    assert numbers(chart, table).to_pydict() == {
        "name": ["HCCL", "AI_CORE", "unknown"],
        "value": [5.0, 9.0, 1.0],
    }
    data = columns(figure_of(chart, table), "slices")
    colors = palette("light")
    assert list(data["label"]) == ["AI_CORE", "HCCL", "unknown"]
    assert list(data["color"]) == [
        colors.categories[name] for name in ("kernel", "communication", "other")
    ]
    assert kernel_cards({"accelerator_cores": table.slice(0, 0)}) == []


def test_choices_are_what_a_card_offers() -> None:
    chart = CardChart("bars", "one", "table", "x", ())
    switch = Switch("side", "Side", (("host", "Host"), ("device", "Device")))
    card = Card("card", "Card", charts={"host": (chart,), "device": ()}, switches=(switch,))
    assert card.choice({}) == {"side": "host"}
    assert card.choice({"side": "device", "else": 3}) == {"side": "device"}
    assert card.choice({"side": "<script>"}) == {"side": "host"}
    assert card.shown({"side": ["device"]}) == (chart,)
    assert choices_of({"choices": {"a": {"b": "c"}, "d": "e"}}) == {"a": {"b": "c"}}
    assert choices_of({"choices": ["a"]}) == {}


def test_cards_are_plain_data() -> None:
    for card in (
        *overview_cards({**stages(), "events": events()}),
        *operator_cards({"operator_phases": phases(3)}),
    ):
        assert json.loads(json.dumps(card.to_dict()))["name"] == card.name


@pytest.mark.parametrize(
    ("shapes", "device", "shown"),
    [
        (None, "NVIDIA A100-SXM4-80GB", True),
        ("[[4, 8], [8, 2]]", "NVIDIA A100-SXM4-80GB", False),
        (None, "Some new device", False),  # nothing to say
    ],
)
def test_without_shapes_the_overview_says_how_to_get_flops(
    shapes: str | None, device: str, *, shown: bool
) -> None:
    operator = {"name": "aten::mm", "start": 0, "end": 90, "input_shapes": shapes}
    call = {"name": "cudaLaunchKernel", "kind": "runtime", "start": 10, "end": 20, "correlation": 1}
    kernel = {"name": "gemm", "start": 100, "end": 200, "correlation": 1}
    model = make_model([operator, call], [kernel], devices=[{"device": 0, "name": device}])
    source: Any = SimpleNamespace(
        trace=SimpleNamespace(model=model, active_filter=NO_FILTER),
        table=lambda name: TABLES[name].make(model),
        around=lambda *_: None,
    )
    cards = [card for card in cards_of(source) if card.name == "flops"]
    assert len(cards) == int(shown)
    if shown:
        assert "shapes" in cards[0].note
        assert (cards[0].table, cards[0].charts) == ("device_peaks", {})


def test_labels_that_differ_in_numbers_come_as_families_first() -> None:
    def first(names: list[str], calls: list[int], every: pa.Table | None = None) -> str:
        table = pa.table({"name": names, "calls": calls})
        [card] = overview_cards({"user_events": table}, events=every)
        return card.choice({})["group_by"]

    decode = [f"decode[pos={at}]" for at in range(6)]
    assert first(decode, [1] * 6) == "label"
    # Layers that run in every step are not alike, also where the filter leaves one step.
    layers = [f"layer {at}" for at in range(6)]
    assert first(layers, [3] * 6) == "name"
    every = pa.table({"name": layers, "calls": [3] * 6})
    assert first(layers, [1] * 6, every) == "name"
    assert first(["load", "train", "step 1", "step 2"], [1] * 4) == "name"


def test_the_card_of_gaps_says_how_much_of_the_idle_time_it_lists() -> None:
    columns = {"start_us": [5.0, 1.0], "duration_us": [9.0, 3.0], "of_idle_pct": [60.0, 20.0]}
    gaps = pa.table({**columns, "device": [0, 0]})
    [card] = overview_cards({"longest_gaps": gaps})
    assert card.note.startswith("80.0 % of the idle time")
    assert card.picks == "range"
    assert "device" not in card.columns
    [card] = overview_cards({"longest_gaps": pa.table({**columns, "device": [0, 1]})})
    assert "device" in card.columns
    assert overview_cards({"longest_gaps": gaps.slice(0, 0)}) == []
