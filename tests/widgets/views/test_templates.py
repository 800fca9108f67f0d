"""A filter changes the data of a chart, not its template."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

import nbprof
from nbprof.widgets.views.drawing.figure_items import figure_items
from nbprof.widgets.views.drawing.figures import charts_of
from nbprof.widgets.views.drawing.look import Look
from nbprof.widgets.views.drawing.screen import Screen
from nbprof.widgets.views.registry import VIEWS
from tests.conftest import ROOT
from tests.support.recordings.runs import RUNS

if TYPE_CHECKING:
    from nbprof.widgets.requests.messages.charts import FigureItem, TemplateItem

SAMPLES = (
    "gpu_resnet_synthetic",
    "npu_convnet_synthetic",
    "paddle_cpu_convnet",
    "torch_cpu_convnet",
)
NAMES = ("conv", "relu", "norm")


def items(
    view: nbprof.Explorer, name: str, filter_: nbprof.Filter, known: tuple[str, ...] = ()
) -> dict[str, TemplateItem | FigureItem]:
    state = replace(view._state(), filter=filter_)
    charts = charts_of(VIEWS[name], Screen(view._session, state), Look(unit="ms"))
    return figure_items(charts, "light", known)


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("name", list(VIEWS))
def test_a_filter_keeps_the_template(sample: str, name: str) -> None:
    view = nbprof.Explorer(nbprof.load(RUNS / sample))
    whole = items(view, name, nbprof.Filter())
    steps = view.trace.steps()["step"].to_pylist()
    filters = [nbprof.Filter(steps=(one, one)) for one in steps[:2]]
    filters += [nbprof.Filter(name=one) for one in NAMES]
    for filter_ in filters:
        for figure, item in items(view, name, filter_).items():
            is_empty_ring = '"name":"empty"' in item["root"]  # which cannot be pointed at
            if figure in whole and not is_empty_ring:
                assert item["template"] == whole[figure]["template"], (figure, filter_)


def test_a_known_template_is_not_sent_again() -> None:
    view = nbprof.Explorer(nbprof.load(RUNS / SAMPLES[0]))
    first = items(view, "operators", nbprof.Filter())
    known = tuple(item["template"] for item in first.values())
    again = items(view, "operators", nbprof.Filter(name="conv"), known)
    for figure, item in again.items():
        assert "root" not in item
        assert json.loads(first[figure]["root"])["name"] == "Figure"
        assert item["columns"] != first[figure]["columns"]
        assert item["columns"].keys() == first[figure]["columns"].keys()


def test_charts_need_neither_bokeh_nor_pandas() -> None:
    # Their imports take half a second and a quarter, which a first picture would wait for.
    script = (
        "import sys, nbprof\n"
        "from tests.widgets.views.test_templates import SAMPLES, VIEWS, items\n"
        "from tests.support.recordings.runs import RUNS\n"
        "for sample in SAMPLES:\n"
        "    view = nbprof.Explorer(nbprof.load(RUNS / sample))\n"
        "    for name in VIEWS:\n"
        "        items(view, name, nbprof.Filter(name='conv'))\n"
        "print({name.split('.')[0] for name in sys.modules} & {'bokeh', 'pandas'})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "set()"
