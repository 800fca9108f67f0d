"""What derives from view specs: names, tabs, operations, and errors for wrong names."""

from __future__ import annotations

import gc
import weakref
from typing import TYPE_CHECKING

import pytest
from traitlets import TraitError

import nbprof
from nbprof.widgets.explorer import Explorer
from nbprof.widgets.requests.handlers import COMMON, operations
from nbprof.widgets.single_views import SingleView
from nbprof.widgets.views.registry import VIEWS

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


def test_every_view_has_a_class_of_its_own() -> None:
    shown = [view.name for one in SingleView.__subclasses__() for view in one._views]
    assert sorted(shown) == sorted(VIEWS.names())
    assert {one.__name__ for one in SingleView.__subclasses__()} <= set(nbprof.__all__)


def test_the_tabs_say_what_the_specs_do(page: Page) -> None:
    assert [tab["name"] for tab in page.view.tabs] == list(VIEWS.names()) == page.view.views
    assert all(VIEWS[tab["name"]].title == tab["title"] for tab in page.view.tabs)
    assert all(VIEWS[tab["name"]].default_grouping == tab["group_by"] for tab in page.view.tabs)


def test_no_two_views_answer_the_same_operation() -> None:
    names = [*COMMON, *(name for view in VIEWS.specs() for name in view.operations)]
    assert sorted(names) == sorted(operations())


def test_a_view_that_is_not_there_is_one_error_and_leaves_no_widget(logs: Path) -> None:
    made: list[weakref.ref[Explorer]] = []

    class Noted(Explorer):
        def __init__(self, source: Path, view: str) -> None:
            made.append(weakref.ref(self))
            super().__init__(source, view=view)

    with pytest.raises(TraitError, match=r"no view 'oveview'.*Did you mean 'overview'"):
        Noted(logs, "oveview")
    gc.collect()
    assert made[0]() is None


def test_view_is_the_view_on_screen(page: Page) -> None:
    page.view.view = "kernels"
    assert (page.view.active, page.view.view) == ("kernels", "kernels")
    with pytest.raises(TraitError, match=r"no view 'kernel'.*Did you mean 'kernels'"):
        page.view.view = "kernel"
