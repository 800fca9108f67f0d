"""Which function answers which operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.widgets.requests.assets import bokehjs, script
from nbprof.widgets.requests.catalog import catalog, hello, refresh
from nbprof.widgets.requests.charts import charts, overview
from nbprof.widgets.requests.flame import flame
from nbprof.widgets.requests.memory import memory
from nbprof.widgets.requests.slices import area, find, slice_
from nbprof.widgets.requests.tables import csv, page, stacks
from nbprof.widgets.requests.timeline import slices, timeline
from nbprof.widgets.requests.trace import trace
from nbprof.widgets.views.distributed import distributed

if TYPE_CHECKING:
    from nbprof.widgets.requests.router import Handler

HANDLERS: Final[dict[str, Handler]] = {
    "hello": hello,
    "catalog": catalog,
    "refresh": refresh,
    "trace": trace,
    "overview": overview,
    "charts": charts,
    "page": page,
    "stacks": stacks,
    "csv": csv,
    "bokehjs": bokehjs,
    "script": script,
    "timeline": timeline,
    "slices": slices,
    "slice": slice_,
    "find": find,
    "area": area,
    "memory": memory,
    "flame": flame,
    "distributed": distributed,
}
