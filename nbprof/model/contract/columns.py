"""Short constructors for the columns of result tables."""

from __future__ import annotations

from typing import TypeAlias

import pyarrow as pa

from nbprof.model.contract.table import Column

Columns: TypeAlias = tuple[Column, ...]


def text(name: str, meaning: str) -> Column:
    """Return a column of text."""
    return Column(name, pa.utf8(), "", meaning)


def count(name: str, meaning: str, unit: str = "") -> Column:
    """Return a column of whole numbers."""
    return Column(name, pa.int64(), unit, meaning)


def size(name: str, meaning: str) -> Column:
    """Return a column of bytes."""
    return Column(name, pa.int64(), "bytes", meaning)


def time(name: str, meaning: str) -> Column:
    """Return a column of microseconds."""
    return Column(name, pa.float64(), "us", meaning)


def pct(name: str, meaning: str) -> Column:
    """Return a column of percentages."""
    return Column(name, pa.float64(), "%", meaning)


def flag(name: str, meaning: str) -> Column:
    """Return a column of booleans."""
    return Column(name, pa.bool_(), "", meaning)


def grouped(columns: Columns, groups: dict[str, tuple[str, ...]], group_by: str) -> Columns:
    """Return the columns that a table has under one grouping.

    Parameters
    ----------
    columns : tuple of Column
        All columns, `OPERATORS` for example.
    groups : dict
        Key columns by grouping, as `OPERATOR_GROUPS`.
    group_by : str
        A key of `groups`.
    """
    keys = {key for group in groups.values() for key in group}
    wanted = groups[group_by]
    return tuple(c for c in columns if c.name not in keys or c.name in wanted)
