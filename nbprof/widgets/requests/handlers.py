"""The operations of the protocol: those of all views, and those that single views add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.widgets.requests.assets import bokehjs, script
from nbprof.widgets.requests.catalog import catalog, hello, refresh
from nbprof.widgets.requests.charts import charts
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.requests.tables import csv, page, stacks
from nbprof.widgets.requests.trace import trace
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from collections.abc import Mapping

#: What any view may ask for.
COMMON: Final = {
    "hello": Operation(hello),
    "catalog": Operation(catalog),
    "refresh": Operation(refresh),
    "trace": Operation(trace),
    "charts": Operation(charts, shows=True),
    "page": Operation(page, shows=True),
    "stacks": Operation(stacks),
    "csv": Operation(csv),
    "bokehjs": Operation(bokehjs),
    "script": Operation(script),
}


def operations() -> Mapping[str, Operation]:
    """Return all operations by name."""
    found = dict(COMMON)
    for view in VIEWS.specs():
        for name, operation in view.operations.items():
            found.setdefault(name, operation)
    return found
