"""A table and a view of another package, as the generic panel receives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

import nbprof
from nbprof import Card, CardChart, TableSpec, ViewSpec
from nbprof.tables import TABLES
from nbprof.widgets.saved import content
from nbprof.widgets.saved.parts import SavePlan

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

HOSTILE = "<img src=x onerror=hit()>"


def long_kernels(model: Any, filter_: nbprof.Filter) -> pa.Table:
    kernels = TABLES["kernels"].make(model, filter_)
    found = kernels.filter(pc.greater(kernels["total_us"], 100.0))
    return pa.table({"name": found["name"], "total": found["total_us"]})


TABLE = TableSpec(
    name="long_kernels",
    summary="kernels that take long",
    columns=(
        nbprof.Column("name", pa.utf8(), "", "Name of the kernel."),
        nbprof.Column("total", pa.float64(), "us", "Time of all launches."),
    ),
    make=long_kernels,
    keys=("name",),
    sort=("total",),
    nouns=("long kernel", "long kernels"),
)


def cards(tables: Any) -> list[Card]:
    if not tables.table("long_kernels").num_rows:
        return []
    series = (("total", "Time", "kernel"),)
    chart = CardChart("bars", "long", "long_kernels", "name", series, picks="name")
    return [Card("long", f"Long {HOSTILE}", f"of {HOSTILE}", {"": (chart,)})]


def figures(screen: Any, look: Any) -> dict[str, Any]:
    from bokeh.plotting import figure

    found = screen.table("long_kernels")
    made = figure(width=look.width("totals"), height=200)
    made.vbar(x=list(range(found.num_rows)), top=found["total"].to_pylist())
    return {"totals": made}


VIEW = ViewSpec(
    name="mine", title=f"Mine {HOSTILE}", tables=("long_kernels",), cards=cards, figures=figures
)


def shown(page: Page, **params: Any) -> tuple[dict[str, Any], list[bytes]]:
    reply, buffers = page.ask("charts", view=page.view.active, width=600, **params)
    assert reply["ok"], reply
    return reply["result"], buffers


def kept(page: Page, **plan: Any) -> bytes:
    view = page.view
    return content.make(view._session, view._state(), SavePlan(2_000_000, view="mine", **plan))
