"""Collects the operations of the protocol: common ones, and those of single views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.requests.operations import Operation
from nbprof.widgets.views.registry import VIEWS, left_out_if_broken

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Operations that all views use.
COMMON: Final = {
    "hello": Operation("nbprof.widgets.requests.catalog:hello"),
    "catalog": Operation("nbprof.widgets.requests.catalog:catalog"),
    "refresh": Operation("nbprof.widgets.requests.catalog:refresh"),
    "changes": Operation("nbprof.widgets.requests.catalog:changes"),
    "trace": Operation("nbprof.widgets.requests.trace:trace"),
    "charts": Operation("nbprof.widgets.requests.charts:charts", shows=True),
    "page": Operation("nbprof.widgets.requests.tables:page", shows=True),
    "spreads": Operation("nbprof.widgets.requests.spreads:spreads"),
    "names": Operation("nbprof.widgets.requests.trace:names"),
    "stacks": Operation("nbprof.widgets.requests.tables:stacks"),
    "sources": Operation("nbprof.widgets.source_files:sources"),
    "csv": Operation("nbprof.widgets.requests.tables:csv"),
    "trace_file": Operation("nbprof.widgets.downloads.files:trace_file"),
    "page_file": Operation("nbprof.widgets.downloads.files:page_file"),
    "bokehjs": Operation("nbprof.widgets.requests.assets:bokehjs"),
    "script": Operation("nbprof.widgets.requests.assets:script"),
}


def operations() -> Mapping[str, Operation]:
    """Return all operations by name."""
    found = dict(COMMON)
    for view in VIEWS.specs():
        with left_out_if_broken(view, "is left out of what can be asked for"):
            own: Mapping[str, Any] = view.operations
            for name, operation in own.items():
                if not isinstance(operation, Operation):
                    message = f"{name} is not an Operation."
                    raise TypeError(message)
                found.setdefault(name, operation)
    return found
