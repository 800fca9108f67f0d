"""Tables compared with VisualDL's overview, operators and kernels, on all files with its output."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from nbprof.analysis.operators.operators import operators as operators_table
from nbprof.analysis.operators.phases import operator_phases
from nbprof.analysis.steps.stage_summary import stage_summary
from nbprof.analysis.steps.stages import stages
from tests.oracle.figures import Figure
from tests.oracle.visualdl.overview import overview_figures
from tests.oracle.visualdl.reading import FILES, SYNTHETIC, WRAPPED, Shown, open_shown
from tests.oracle.visualdl.reasons import ours_instead
from tests.oracle.visualdl.tables import kernel_figures, operator_figures

if TYPE_CHECKING:
    from pathlib import Path

VIEWS = {"overview": overview_figures, "operators": operator_figures, "kernels": kernel_figures}
#: At least so many figures of each view are compared: of a CPU's trace, and of a GPU's.
LEAST = {"overview": (80, 170), "operators": (1500, 400), "kernels": (1, 120)}


@pytest.fixture(params=FILES, ids=lambda param: f"{param[0]}-{param[1]}")
def shown(request: pytest.FixtureRequest, shared_oracle: Path, shared_data: Path) -> Shown:
    return open_shown(shared_oracle, shared_data, *request.param)


def all_figures(shown: Shown) -> list[Figure]:
    return [figure for make in VIEWS.values() for figure in make(shown)]


@pytest.mark.parametrize("view", VIEWS)
def test_figures_are_equal_or_differ_for_a_reason(shown: Shown, view: str) -> None:
    figures = list(VIEWS[view](shown))
    assert len(figures) >= LEAST[view][shown.run == SYNTHETIC]
    instead = {_key(place): value for place, value in ours_instead(shown).items()}
    for figure in figures:
        place = figure.table, figure.key, figure.column
        if place in instead:
            wanted = instead[place]
            assert figure.ours == (None if wanted is None else pytest.approx(wanted, rel=1e-5)), (
                place
            )
        else:
            assert figure.equal, figure


def test_every_reason_is_needed(shown: Shown) -> None:
    """What is given in place of VisualDL's figures is not what it says itself."""
    instead = {_key(place) for place in ours_instead(shown)}
    figures = {(f.table, f.key, f.column): f for f in all_figures(shown)}
    differ = {place for place, figure in figures.items() if not figure.equal}
    assert differ <= instead
    assert {table for table, *_ in instead & set(figures)} == {table for table, *_ in differ}
    assert bool(differ) == (shown.run != "run_cpu_v262")


def test_the_parts_that_stages_hide_are_in_other_there(
    shared_oracle: Path, shared_data: Path
) -> None:
    """A range of the user round the step: what VisualDL calls Other is our four together."""
    for place in range(2):
        shown = open_shown(shared_oracle, shared_data, WRAPPED, place)
        theirs = shown.figures["model_perspective"]["cpu"][-1]
        assert theirs["name"] == "Other"
        rows = {row["stage"]: row for row in stage_summary(shown.model).to_pylist()}
        hidden = ("Forward", "Backward", "Optimization", "Other")
        total = sum(rows[stage]["host_total_us"] for stage in hidden)
        assert round(total, 2) == theirs["total_time"]
        assert "Overview" not in shown.figures["views"]


def test_times_are_cut_there_and_exact_here(shown: Shown) -> None:
    """What VisualDL cuts off of a time is at most a nanosecond."""
    for column in ("start_ns", "duration_ns"):
        ours, theirs = (
            np.sort(model.column("host", column)) for model in (shown.exact, shown.model)
        )
        assert np.abs(ours - theirs).max() <= 1
    exact, cut = (stages(m).to_pydict() for m in (shown.exact, shown.model))
    assert exact["host_us"] == pytest.approx(cut["host_us"], abs=0.02)


def test_stages_sum_to_the_step_and_phases_to_the_operator(shown: Shown) -> None:
    for model in (shown.exact, shown.model):
        table = stages(model)
        host = np.asarray(table["host_us"]).reshape(-1, 5)
        length = model.steps.host_end_ns - model.steps.host_start_ns
        assert (np.rint(host * 1000).sum(axis=1) == length).all()
        operators = {row["name"]: row for row in operators_table(model).to_pylist()}
        for side in ("host", "device"):
            found: dict[str, float] = {}
            for row in operator_phases(model).to_pylist():
                assert row["host_us"] >= 0
                found[row["name"]] = found.get(row["name"], 0.0) + (row[f"{side}_us"] or 0.0)
            for name, total in found.items():
                assert total == pytest.approx(operators[name][f"{side}_total_us"] or 0.0)


def _key(place: tuple[str, str, str]) -> tuple[str, str, str]:
    """Return a place with its key as figures shorten it."""
    table, key, column = place
    return table, Figure(table, key, column, 0, 0).key, column
