"""Where in the program something comes from: operator, call and line of code, as phrases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.model.links.call_stacks import call_stacks
from nbprof.model.lookup import values_at
from nbprof.model.names.roles import operator_rows

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: Frames of libraries and of Python itself, which are not where a program is changed.
_LIBRARY: Final = re.compile(
    r"^(?:<|torch/|nn\.Module: |enum\.py|threading\.py)|site-packages/|dist-packages/|lib/python\d"
)


def most_of(model: TraceModel, work: Rows, time: Rows) -> tuple[str, str, str]:
    """Return the name with the most time in some device work, and where that comes from.

    Parameters
    ----------
    model : TraceModel
        The trace.
    work : ndarray of int64, shape (n,)
        Device rows.
    time : ndarray of int64, shape (n,)
        Nanoseconds of each that count.

    Returns
    -------
    name, by, where : str
        Name of the work; " by OPERATOR" and " (LINE)", empty where they are unknown.
    """
    code = model.column("device", "name")[work]
    top = int(np.bincount(code, weights=time).argmax())
    here = code == top
    rows = outermost_operators(model, model.links.operator[work[here]])
    name, line = named_most(model, rows, time[here])
    return model.values("device", "name")[top], f" by {name}" if name else "", line


def named_most(model: TraceModel, rows: Rows, weight: npt.NDArray[Any]) -> tuple[str, str]:
    """Return the name with the most weight among host rows, and the line of code it has most of.

    Parameters
    ----------
    model : TraceModel
        The trace.
    rows : ndarray of int64, shape (n,)
        Host rows, -1 for none.
    weight : ndarray, shape (n,)
        Weight of each.

    Returns
    -------
    name, line : str
        The name, and the innermost frame of the user's code as " (FILE(LINE): FUNCTION)"; empty
        where they are unknown.
    """
    rows, weight = rows[rows >= 0], weight[rows >= 0]
    if not len(rows):
        return "", ""
    code = model.column("host", "name")[rows]
    top = int(np.bincount(code, weights=weight).argmax())
    rows, weight = rows[code == top], weight[code == top]
    stacks = call_stacks(model)
    stack, lines = stacks.code[rows], dict[str, float]()
    for one in np.unique(stack[stack >= 0]).tolist():
        frames = stacks.texts[one].split(";")
        own = next((frame for frame in frames if not _LIBRARY.search(frame)), "")
        if own:
            lines[own] = lines.get(own, 0.0) + float(weight[stack == one].sum())
    line = max(lines, key=lambda one: lines[one], default="")
    return model.values("host", "name")[top], f" ({line})" if line else ""


def outermost_operators(model: TraceModel, rows: Rows) -> Rows:
    """Return the outermost operator around each host row, or the row itself; -1 stays."""
    parent, is_operator = model.nesting.parent, operator_rows(model)
    found, above = rows.copy(), rows.copy()
    while (above >= 0).any():
        found = np.where((above >= 0) & (values_at(is_operator, above) == 1), above, found)
        above = values_at(parent, above)
    return found
