"""Registers tables and views for the duration of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof import TableSpec
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS
from tests.widgets.views.custom import TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Register = Callable[[Any], None]


@pytest.fixture
def register() -> Iterator[Register]:
    """Register objects for the time of a test, a table among them."""
    added: list[tuple[Any, str]] = []

    def add(spec: Any) -> None:
        nbprof.register(spec)
        registry = TABLES if isinstance(spec, TableSpec) else VIEWS
        added.append((registry, spec.name))

    add(TABLE)
    yield add
    for registry, name in dict.fromkeys(added):
        registry.unregister(name)
