"""Handler of ``icicle``: frames of the icicle chart of functions in a range."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import pyarrow.compute as pc

from nbprof.model.building import arrow_scalar
from nbprof.model.names import short_names
from nbprof.model.names.private_frames import private_text
from nbprof.widgets.hints import hints
from nbprof.widgets.session.state import State
from nbprof.widgets.views.flames.flame_window import FlameIndex
from nbprof.widgets.views.flames.graph_reply import graph_reply

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.widgets.requests.protocol import Reply
    from nbprof.widgets.session.session import Progress, Session

#: Colours of names and their shades.
_SLOTS: Final = 10
_SHADES: Final = 4

#: A function that is not written in Python, with its package.
_BUILT_IN: Final = re.compile(r"\{(?:built-in method |method '\w+' of ')?(\w+(?=\.))?")
#: Where the first part of a path, or a file without folders, ends.
_FIRST: Final = re.compile(r"[\\/]|\(\d+\): ")

#: Follows the name of a function that calls itself; `icicle.ts` takes it off again.
RECURSIVE: Final = " ↻"


def icicle(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return the frames of a range of the icicle chart for a number of pixel columns."""
    state = State.parse(params.get("state"))
    trace = session.trace(state, progress)

    def nothing() -> str:
        if not trace.model.tables["functions"].num_rows:
            return hints.hint(trace.model, "functions")
        filtered = " under the filter" if trace.active_filter else ""
        return f"No function has time{filtered}."

    index = index_of(session, state)
    asked, about = _with_marked(params), {"by": "time"}
    return graph_reply(session, state, asked, index, about, nothing=nothing, colors=_colors_of)


def _colors_of(names: list[str]) -> tuple[list[int], list[int]]:
    """Return a slot for the package of each function, and a shade for its name."""
    slots = [short_names.fnv1a(package_of(name)) % _SLOTS for name in names]
    return slots, [short_names.fnv1a(name) % _SHADES for name in names]


def package_of(name: str) -> str:
    """Return the package of a function, or its file if it is in none.

    >>> package_of("/opt/lib/python3.11/site-packages/torch/nn/modules/conv.py(458): forward")
    'torch'
    >>> package_of("{built-in method torch.conv2d}"), package_of("/data/train.py(7): main")
    ('torch', 'train.py')
    """
    built_in = _BUILT_IN.match(name)
    if built_in:
        return built_in[1] or "builtins"
    return _FIRST.split(private_text(name), maxsplit=1)[0]


def _with_marked(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a request in which selected names are those of recursive functions, too."""
    selected = params.get("selected")
    if not isinstance(selected, list):
        return params
    return {**params, "selected": [*selected, *(f"{name}{RECURSIVE}" for name in selected)]}


def index_of(session: Session, state: State) -> FlameIndex:
    """Return the index of the chart's frames, cached."""
    make = lambda: FlameIndex.of(_marked(session.table(state, "icicle")))  # noqa: E731 - if needed
    return session.cached(session.trace(state), (state.filter, "icicle index"), make)


def _marked(table: pa.Table) -> pa.Table:
    """Return the frames with a mark behind the names of functions that call themselves."""
    mark = pc.if_else(table["recursive"], arrow_scalar(RECURSIVE), arrow_scalar(""))
    names = pc.binary_join_element_wise(table["name"], mark, arrow_scalar(""))
    return table.set_column(table.schema.get_field_index("name"), "name", names)
