"""Traits of the tables: the widths of their columns, and how PyTorch's table is grouped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import traitlets
from traitlets import TraitError, TraitType, Undefined

from nbprof.widgets.traits import one_of

if TYPE_CHECKING:
    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # not generic in the oldest traitlets that ipywidgets accepts

#: Limits of a column's width, CSS pixels; `js/src/table/grid/columnwidths.ts` has the same.
_LEAST: Final = 36
_MOST: Final = 2_000


#: Groupings of PyTorch's table in the operators view; empty where the view shows operators.
AVERAGES: Final = ("", "name", "name+shape", "name+stack1", "name+stack5")


class WidthsTrait(_Trait):
    """A dict from the names of tables to a dict from columns to widths in pixels."""

    info_text = "a dict from tables to a dict from columns to widths in pixels"
    default_value: Any = Undefined

    def make_dynamic_default(self) -> dict[str, dict[str, int]]:
        """Create a separate dict for every widget."""
        return {}

    def validate(self, obj: Any, value: Any) -> dict[str, dict[str, int]]:
        """Check the widths, and leave out tables without any."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.error(obj, value)
        return {str(table): _widths(table, of) for table, of in value.items() if of}


def _widths(table: object, value: object) -> dict[str, int]:
    if not isinstance(value, Mapping):
        message = f"column_widths: {table!r} has a dict from columns to pixels, not {value!r}."
        raise TraitError(message)
    for column, width in value.items():
        # A bool is an int to Python.
        if type(width) is not int or not _LEAST <= width <= _MOST:
            message = (
                f"column_widths: {column!r} of {table!r} takes {_LEAST} to {_MOST:,} pixels, a"
                f" whole number, not {width!r}."
            )
            raise TraitError(message)
    return {str(column): width for column, width in value.items()}


class TableTraits(traitlets.HasTraits):
    """Traits of the tables of all views."""

    column_widths = WidthsTrait().tag(sync=True, echo_update=False)
    """Widths of columns that differ from the usual ones, in pixels: a dict from the name of a table
    to a dict from its columns to their widths, ``{"operators": {"calls": 90}}``. Dragging the edge
    of a column writes it. Tables and columns that a trace does not have are kept for others."""

    averages_by = traitlets.Unicode("").tag(sync=True)
    """Grouping of the table that PyTorch prints in the operators view, ``"name"``,
    ``"name+shape"``, ``"name+stack1"`` or ``"name+stack5"``; empty if the view shows its own table
    of operators."""

    @traitlets.validate("averages_by")
    def _check_averages_by(self, proposal: Any) -> str:
        return one_of("averages_by", proposal["value"], AVERAGES)
