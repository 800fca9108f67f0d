"""Which function answers which operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.widgets.distributed import distributed
from nbprof.widgets.handlers_assets import bokehjs
from nbprof.widgets.handlers_catalog import catalog, hello, refresh
from nbprof.widgets.handlers_charts import charts, overview
from nbprof.widgets.handlers_flame import flame
from nbprof.widgets.handlers_memory import memory
from nbprof.widgets.handlers_slices import area, find, slice_
from nbprof.widgets.handlers_tables import csv, page, stacks
from nbprof.widgets.handlers_timeline import slices, timeline
from nbprof.widgets.handlers_trace import trace

if TYPE_CHECKING:
    from nbprof.widgets.router import Handler

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
    "timeline": timeline,
    "slices": slices,
    "slice": slice_,
    "find": find,
    "area": area,
    "memory": memory,
    "flame": flame,
    "distributed": distributed,
}
