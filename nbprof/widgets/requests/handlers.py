"""Collects the operations of the protocol: common ones, and those of single views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.requests.assets import bokehjs, script
from nbprof.widgets.requests.catalog import catalog, hello, refresh
from nbprof.widgets.requests.charts import charts
from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.requests.tables import csv, page, stacks
from nbprof.widgets.requests.trace import trace
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Operations that all views use.
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
        with left_out_if_broken(view, "what can be asked for"):
            own: Mapping[str, Any] = view.operations
            for name, operation in own.items():
                if not isinstance(operation, Operation):
                    message = f"{name} is not an Operation."
                    raise TypeError(message)
                found.setdefault(name, operation)
    return found
