"""Conditions on columns in the search field of a table, such as ``queue > 100 & stream = 7``.

`js/src/offline/tables/conditions.ts` reads the same on pages and in saved notebooks.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import encoded, joined
from nbprof.model.building import arrow_array, arrow_scalar, filled
from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import match_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    import numpy.typing as npt

_CONDITION: Final = re.compile(r"(\w+) *(>=|<=|!=|=|>|<|:) *(\S.*)", re.ASCII | re.DOTALL)
#: Endings of column names that may be left out.
_ENDINGS: Final = ("", "_us", "_pct", "_bytes", "_gb", "_gbps")
_NUMBER: Final = re.compile(
    r"([+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?) *(ns|us|µs|ms|s)?", re.IGNORECASE | re.ASCII
)
#: Units of time, in microseconds.
_UNITS: Final[Mapping[str, float]] = {"ns": 1e-3, "us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}
#: Conditions of a search, and characters of a value in an error, at most; as in TypeScript.
MOST: Final = 50
SHOWN: Final = 80
_TRUTH: Final[Mapping[str, bool]] = {"true": True, "yes": True, "false": False, "no": False}
_COMPARE: Final[Mapping[str, Callable[..., pa.Array]]] = {
    "=": pc.equal,
    "!=": pc.not_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "<": pc.less,
    "<=": pc.less_equal,
}


@dataclass(frozen=True)
class Condition:
    """A comparison of a column with a value of its type.

    Attributes
    ----------
    column : str
        Name of the column.
    operator : str
        ``=``, ``!=``, ``<``, ``<=``, ``>``, ``>=``; or ``:`` for text that is contained.
    value : str, float or bool
        What the cells are compared with; times in microseconds.
    """

    column: str
    operator: str
    value: str | float | bool


def parse_conditions(text: str, table: pa.Table) -> list[Condition]:
    """Return the conditions of a search, joined by `` & ``; none if it is a plain text.

    Parameters
    ----------
    text : str
        The search. It is plain text unless each of its parts begins with the name of a column.
    table : pyarrow.Table
        The table. Units at the end of the names of its columns may be left out.

    Raises
    ------
    FilterError
        The value is no number where the column has numbers, or the operator does not apply.

    Examples
    --------
    >>> table = pa.table({"name": ["a = b"], "queue_us": [1.5]})
    >>> parse_conditions("queue > 1ms", table)
    [Condition(column='queue_us', operator='>', value=1000.0)]
    >>> parse_conditions("a = b", table)
    []
    """
    found: list[Condition] = []
    for part in text.split(" & "):
        if len(found) == MOST:
            message = f"A search has at most {MOST} conditions."
            raise FilterError(message)
        match = _CONDITION.fullmatch(part.strip())
        names = [match[1] + ending for ending in _ENDINGS] if match else []
        column = next((name for name in names if name in table.column_names), None)
        if match is None or column is None:
            return []
        found.append(_condition(column, table.schema.field(column).type, match[2], match[3]))
    return found


def _condition(column: str, kind: pa.DataType, operator: str, value: str) -> Condition:
    """Return a condition with a value of the column's type."""
    if pa.types.is_string(kind):
        if operator in ("=", "!=", ":"):
            return Condition(column, operator, value)
        why = "holds text, which is compared by =, != or :"
    elif pa.types.is_boolean(kind):
        truth = _TRUTH.get(value.lower())
        if truth is not None and operator in ("=", "!="):
            return Condition(column, operator, truth)
        why = f"is true or false, as in {column} = true"
    else:
        match, is_time = _NUMBER.fullmatch(value), column.endswith("_us")
        if match and operator != ":" and (is_time or not match[2]):
            number = float(match[1]) * (_UNITS[match[2].lower()] if match[2] else 1.0)
            if math.isfinite(number):
                return Condition(column, operator, number)
        units = ", with a unit of time if you like" if is_time else ""
        why = f"is compared with a number{units}, by = != < <= > or >="
    shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    message = f"{column} {operator} {shown}: {column} {why}."
    raise FilterError(message)


def rows_that_meet(table: pa.Table, condition: Condition) -> npt.NDArray[np.bool_]:
    """Return which rows of a table meet a condition, shape (rows,).

    Text is compared without regard to case, and ``:`` looks for it, or for a `/pattern/`, anywhere
    in the cell. An empty cell meets only ``!=``.

    Raises
    ------
    FilterError
        The pattern is invalid.
    """
    column = table[condition.column]
    if pa.types.is_string(column.type):
        return _texts(column, condition.operator, str(condition.value))
    if not pa.types.is_boolean(column.type):
        column = column.cast(pa.float64(), safe=False)  # as JavaScript compares large numbers
    met = _COMPARE[condition.operator](column, arrow_scalar(condition.value, column.type))
    found: npt.NDArray[np.bool_] = joined(filled(met, condition.operator == "!="))
    return found


def _texts(column: pa.ChunkedArray, operator: str, value: str) -> npt.NDArray[np.bool_]:
    coded = encoded(column)
    texts = coded.dictionary.to_pylist()
    if operator == ":":
        meets = [*match_names(texts, value), False]
    else:
        # Letter by letter, as JavaScript can do it, too.
        lower = pc.utf8_lower(arrow_array([*texts, value], pa.utf8())).to_pylist()
        meets = [*((text == lower[-1]) == (operator == "=") for text in lower[:-1])]
        meets.append(operator == "!=")
    codes = joined(filled(coded.indices, -1))
    found: npt.NDArray[np.bool_] = joined(arrow_array(meets, pa.bool_()))[codes]
    return found
