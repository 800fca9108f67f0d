"""Every form of a view, a trace or a comparison that users share, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import nbprof
from nbprof.model.errors import NbprofError
from nbprof.widgets.views import groupings
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from pathlib import Path


def _answers(view: nbprof.Explorer) -> list[tuple[dict[str, Any], list[bytes]]]:
    found: list[tuple[dict[str, Any], list[bytes]]] = []
    view._router._send = lambda message, buffers: found.append((message, buffers))
    return found


def ask(view: nbprof.Explorer, op: str, **params: Any) -> tuple[dict[str, Any], list[bytes]]:
    """Return the answer to a request of the browser."""
    found = _answers(view)
    keys = ("run", "worker", "span", "filter", "step", "baseline")
    state = {key: getattr(view, key) for key in keys}
    request = {"v": 1, "id": 1, "op": op, "gen": 0, "params": {"state": state, **params}}
    view._router.handle(request)
    [answer] = [one for one in found if one[0]["id"] == 1 and "progress" not in one[0]]
    return answer


def files_of_tables(view: nbprof.Explorer) -> dict[str, Any]:
    """Return what the Export menu writes of the tables of all views, in every grouping."""
    found = {}
    for name in dict.fromkeys(
        table for spec in VIEWS.specs() for table in (spec.main_table, *spec.tables)
    ):
        for way in groupings.groupings_of(name) or ("",):
            found[f"{name} {way}"] = ask(view, "csv", table=name, group_by=way)
    return found


def drawings(view: nbprof.Explorer) -> dict[str, Any]:
    """Return the pictures of the main chart of every view."""
    found = {}
    for name in view.views:
        view.active = name
        try:
            found[name] = view.to_svg()
        except NbprofError as error:
            found[name] = str(error)
    return found


def saved_forms(view: nbprof.Explorer, folder: Path) -> dict[str, Any]:
    """Return what a notebook holds of a view, its page, and its trace as a file."""
    view.trace.read()
    view._saver.save()
    assert view.snapshot
    view.to_html(folder / "page.html", max_bytes=20_000_000)
    view.trace.to_chrome_trace(folder / "part.json")
    static = view.static()
    return {
        "traits": view.get_state(),
        "page": (folder / "page.html").read_text(),
        "part": (folder / "part.json").read_text(),
        "summary": static._repr_mimebundle_(),
        "texts": [repr(one) for one in (view, view.profile, view.trace)],
        "runs": view.profile._repr_html_() if view.profile else "",
    }


def of_view(view: nbprof.Explorer, folder: Path) -> dict[str, Any]:
    """Return all of `saved_forms`, and what the Export menu writes."""
    return {
        **saved_forms(view, folder),
        "page file": ask(view, "page_file"),
        "trace file": ask(view, "trace_file", range_us=[0, 1e9]),
        "tables": files_of_tables(view),
        "pictures": drawings(view),
        "errors": [str(one) for one in view.errors],
    }


def of_comparison(diff: nbprof.Diff, folder: Path) -> dict[str, Any]:
    """Return everything that is shared of the differences of two runs."""
    view = nbprof.Explorer(diff)
    return {**of_view(view, folder), "differences": [repr(diff), diff.notes()]}
