"""Every share names its whole, and only parts of one whole are drawn as such."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.charts.cards.card_charts import numbers
from nbprof.charts.cards.overview import overview_cards, tables_for
from nbprof.widgets.session.session import Session
from nbprof.widgets.session.state import State
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from tests.support.summaries import trace_text

if TYPE_CHECKING:
    from pathlib import Path

    from nbprof.charts.cards.cards import Card

TRACES = (
    "kineto/resnet50_num_workers_0",
    "kineto/h800_deepseek",
    "ascend/msinsight_text_level1",
    "paddle/synthetic_gpu",
    "torchcpu/ddp_gloo",
)

#: What a heading, or the line itself, says a share is of.
WHOLE = re.compile(r"100\.0 %|\(100 %\)|of \w+ time|of the time|of the step|of the NPU|of its time")


@pytest.fixture(scope="module", params=TRACES)
def trace(request: pytest.FixtureRequest, shared_data: Path) -> nbprof.Trace:
    return nbprof.load(shared_data / request.param, progress=False).trace()


def cards(trace: nbprof.Trace) -> list[Card]:
    names = tables_for(trace.model.capabilities)
    return overview_cards({name: trace.table(name) for name in names})


def test_shares_in_text_say_of_what(trace: nbprof.Trace) -> None:
    sections = trace_text(trace).split("\n\n")
    shares = [section for section in sections if re.search(r"\d %", section)]
    assert shares
    for section in shares:
        first, *lines = section.splitlines()
        if first == "Recommendations":
            advice = " ".join(lines)
            for said in re.split(r"(?=(?:high|medium|low): )", advice):
                assert not re.search(r"\d %", said) or "time" in said, said
        else:
            told = WHOLE.search(first) or all(
                WHOLE.search(line) for line in lines if re.search(r"\d %", line)
            )
            assert told, section


def test_parts_of_donuts_sum_to_the_whole(trace: nbprof.Trace) -> None:
    for card in cards(trace):
        for charts in card.charts.values():
            for chart in charts:
                if chart.kind != "donut":
                    continue
                table = trace.table(chart.table)
                whole = {row[chart.x]: row[chart.value] for row in table.to_pylist()}["Step"]
                parts = sum(numbers(chart, table)["value"].to_pylist())
                assert parts == pytest.approx(whole), chart.name


def test_stages_of_the_device_are_told_against_its_time(trace: nbprof.Trace) -> None:
    found = [
        chart
        for card in cards(trace)
        if card.name == "stages"
        for chart in card.shown({})
        if chart.name == "stage_summary_device"
    ]
    for chart in found:
        assert (chart.kind, chart.quantity) == ("bars", "share")
        assert "% of" in chart.title
        bars = numbers(chart, trace.table("stage_summary")).to_pylist()
        assert bars[0]["stage"] == "Step"
        assert bars[0]["Step"] == pytest.approx(100.0)
        for bar in bars:
            assert 0.0 <= sum(value for key, value in bar.items() if key != "stage") <= 100.0 + 1e-9


def test_bars_of_shares_have_a_title(trace: nbprof.Trace) -> None:
    session, state = Session(trace), State.parse({})
    for view in VIEWS.specs():
        for card in view.cards(Screen(session, state)):
            for charts in card.charts.values():
                for chart in charts:
                    assert chart.quantity != "share" or chart.title or card.note, chart.name
    session.close()
