"""Cards of NPU and Paddle profiles: equal in a notebook and without Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

import nbprof
from nbprof.widgets.saved import content, page
from nbprof.widgets.saved.parts import SavePlan
from tests.support.programs.offline import answers, header
from tests.support.recordings.runs import RUNS
from tests.widgets.conftest import Page, table_of

if TYPE_CHECKING:
    from pathlib import Path

PADDLE, NPU = "paddle_cpu_convnet", "npu_convnet_synthetic"


@pytest.fixture(scope="module")
def profile() -> nbprof.Profile:
    return nbprof.load(RUNS)


@pytest.fixture
def paddle(open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=PADDLE)


@pytest.fixture
def npu(open_page: Any, profile: nbprof.Profile) -> Page:
    return open_page(profile, run=NPU)


def card_of(asker: Page, name: str, op: str = "overview", **params: Any) -> tuple[Any, pa.Table]:
    reply, buffers = asker.ask(op, state=asker.state(**asker.view.filter), width=600, **params)
    [card] = [card for card in reply["result"]["cards"] if card["name"] == name]
    assert {figure["name"] for figure in card["figures"]} <= set(reply["result"]["figures"])
    return card, table_of(buffers[card["rows"]])


def names(asker: Page, op: str = "overview", **params: Any) -> list[str]:
    reply = asker.result(op, state=asker.state(), width=600, **params)
    return [card["name"] for card in reply["cards"]]


def test_each_recorder_has_its_own_cards(paddle: Page, npu: Page) -> None:
    assert names(paddle) == ["stages", "events", "user_events"]
    assert names(npu) == ["idle", "longest_gaps", "npu_steps", "stages"]
    assert names(paddle, "charts", view="operators") == ["operator_phases"]
    assert names(npu, "charts", view="operators") == []
    assert names(npu, "charts", view="kernels") == ["accelerator_cores"]


def test_a_choice_is_drawn_and_unknown_ones_are_the_first(paddle: Page) -> None:
    time, by_type = card_of(paddle, "events")
    assert time["choice"] == {"side": "host", "way": "time"}
    choices = {"events": {"side": "nowhere", "way": "stage"}}
    stage, by_stage = card_of(paddle, "events", choices=choices)
    assert stage["choice"] == {"side": "host", "way": "stage"}
    assert by_type.column_names[0] == "event_type"
    assert by_stage.column_names[0] == "stage"
    for wrong in ("events", [1], {"events": "stage"}):
        assert card_of(paddle, "events", choices=wrong)[0]["choice"] == time["choice"]


def test_a_filter_recomputes_the_cards(paddle: Page, npu: Page) -> None:
    first = npu.view.trace.steps()["step"][0].as_py()
    whole = card_of(npu, "npu_steps")[1]
    npu.view.filter = {"steps": [first, first]}
    part = card_of(npu, "npu_steps")[1]
    assert part["step"].to_pylist() == [first]
    assert whole.num_rows > 1
    assert part.equals(whole.slice(0, 1))
    step = paddle.view.trace.steps()["step"][0].as_py()
    paddle.view.filter = {"steps": [step, step]}
    assert card_of(paddle, "stages")[1].equals(paddle.view.trace.stage_summary())


def test_long_tables_are_cut_to_their_first_rows(
    paddle: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nbprof.charts.cards.overview._USER_EVENTS", 1)
    table = paddle.view.trace.user_events()
    card, rows = card_of(paddle, "user_events")
    assert card["of"] == table.num_rows
    assert rows.num_rows == 1
    assert rows["host_total_us"][0].as_py() == pc.max(table["host_total_us"]).as_py()


def test_an_operator_opens_into_its_parts(paddle: Page) -> None:
    parts = paddle.view.trace.operator_parts()
    name = parts["operator"][0].as_py()
    reply, buffers = paddle.ask("stacks", state=paddle.state(), table="operators", name=name)
    rows = table_of(buffers[0])
    expected = parts.filter(pc.equal(parts["operator"], name))
    assert sorted(rows["name"].to_pylist()) == sorted(expected["name"].to_pylist())
    assert rows["host_total_us"].to_pylist() == sorted(rows["host_total_us"].to_pylist())[::-1]
    assert "call_stack" not in rows.column_names
    reply, _ = paddle.ask("stacks", state=paddle.state(), table="operators", name="no such name")
    assert reply["result"]["hint"] == "Nothing was recorded inside."


def test_every_launch_is_a_row_with_what_was_measured(npu: Page) -> None:
    reply, buffers = npu.ask(
        "page", state=npu.state(), table="kernels", group_by="launch", offset=0, limit=50
    )
    rows = table_of(buffers[0])
    whole = npu.view.trace.kernels(group_by="launch")
    assert reply["result"]["total"] == whole.num_rows
    assert reply["result"]["sort"] == ["duration_us", "desc"]
    assert rows.column_names == whole.column_names
    assert {"step", "accelerator_core", "block_dim", "wait_us"} < set(rows.column_names)
    duration = pc.sum(whole["duration_us"]).as_py()
    assert reply["result"]["all_sums"]["duration_us"] == pytest.approx(duration)


def test_how_busy_processors_were_stands_with_the_configuration(paddle: Page, npu: Page) -> None:
    facts = dict(paddle.result("overview", state=paddle.state())["facts"])
    assert facts["CPU, this process"].endswith(" % of the time recorded")
    assert "CPU, all processes" in facts
    assert not any(
        label.startswith("CPU") for label, _ in npu.result("overview", state=npu.state())["facts"]
    )


@pytest.mark.parametrize("run", [PADDLE, NPU, "gpu_resnet_synthetic"])
def test_without_python_the_cards_are_the_same(
    open_page: Any, profile: nbprof.Profile, run: str, tmp_path: Path
) -> None:
    asker = open_page(profile, run=run)
    plan = SavePlan(20_000_000, most_rows=1_000_000, timeline_bytes=0)
    saved = content.make(asker.view._session, asker.view._state(), plan)
    ways: list[dict[str, Any]] = [{}]
    ways += [{"stages": {"side": "device"}}, {"events": {"side": "host", "way": "stage"}}]
    ways += [{"events": {"side": "host", "way": "calls"}}, {"stages": {"side": "?"}}]
    asked = [("overview", {"state": asker.state(), "choices": way, "width": 600}) for way in ways]
    asked += [
        ("charts", {"state": asker.state(), "view": view, "width": 600})
        for view in ("operators", "kernels")
    ]
    parts = (("overview", "own"), ("charts", "cards"))
    asked += [
        (op, {"state": asker.state(), "view": "overview", "width": 600, "part": part})
        for op, part in parts
    ]
    for (op, params), reply in zip(asked, answers(saved, tmp_path, asked), strict=True):
        python, buffers = asker.ask(op, **params)
        result = python["result"]
        assert set(reply["result"]["figures"]) == set(result["figures"])
        assert len(reply["result"]["cards"]) == len(result["cards"])
        for own, card in zip(reply["result"]["cards"], result["cards"], strict=True):
            assert {**own, "rows": 0} == {**card, "rows": 0}
            expected = table_of(buffers[card["rows"]]).to_pydict()
            assert reply["buffers"][own["rows"]]["rows"] == expected


def test_a_page_takes_the_rows_of_the_steps_that_are_left(npu: Page, tmp_path: Path) -> None:
    made = page.page_state(npu.view._session, npu.view._state(), "overview", 10_000_000, {})
    step = npu.view.trace.steps()["step"][1].as_py()
    state = npu.state(steps=[step, step])
    [reply] = answers(made, tmp_path, [("overview", {"state": state, "width": 600})])
    found = {card["name"]: card for card in reply["result"]["cards"]}
    python, buffers = npu.ask("overview", state=state, width=600)
    for card in python["result"]["cards"]:
        own = found[card["name"]]
        if card["name"] in ("stages", "idle", "longest_gaps"):
            assert (own["rows"], own["figures"]) == (-1, [])
            assert own["note"] == "This cannot be filtered without Python."
        else:
            assert own["of"] == card["of"] == 1
            expected = table_of(buffers[card["rows"]]).to_pydict()
            assert reply["buffers"][own["rows"]]["rows"] == expected


def test_what_has_no_room_in_saved_state_is_said(npu: Page) -> None:
    plan = SavePlan(9000, timeline_bytes=0)
    made = content.make(npu.view._session, npu.view._state(), plan)
    assert len(made) <= 9000
    cards = ("Idle", "NPU steps", "Stages")
    assert any(name in said for said in header(made)["left_out"] for name in cards)


def test_summaries_have_them_too(paddle: Page, npu: Page) -> None:
    assert "Stages of all steps" in paddle.view.static().text
    text, html = npu.view.static().text, npu.view.static().html
    assert "NPU by its recorder, mean of " in text
    assert "computing " in text
    assert "NPU steps: " in html
    assert "By accelerator core: " in html
    assert "Types of events" in paddle.view.static().html
