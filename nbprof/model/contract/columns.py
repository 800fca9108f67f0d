"""Short ways to say what a column of a result table is, for the modules of the contract."""

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
    """Return a column of yes and no."""
    return Column(name, pa.bool_(), "", meaning)
