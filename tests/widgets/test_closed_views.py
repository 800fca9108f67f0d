"""Closed views: nothing keeps them, so that a notebook may show as many as it likes."""

from __future__ import annotations

import gc
import sys
import weakref
from typing import TYPE_CHECKING

import nbprof
from nbprof.widgets.views.registry import VIEWS
from tests.widgets.conftest import Page

if TYPE_CHECKING:
    from pathlib import Path


def test_a_closed_view_goes_with_its_layout(samples: Path) -> None:
    profile = nbprof.load(samples / "gpu_resnet_synthetic")
    parts = []
    for _ in range(5):
        view = nbprof.Explorer(profile)
        assert view.trace.kernels().num_rows
        parts += [weakref.ref(part) for part in (view, view.layout, view._session)]
        view.close()
        del view
    gc.collect()
    assert [part() for part in parts] == [None] * 15


def test_40_openings_leave_no_more_than_one(samples: Path) -> None:
    """What is in use is counted: what the process takes also holds free memory, which varies."""

    def blocks() -> int:
        gc.collect()
        return sys.getallocatedblocks()

    def open_and_close(number: int) -> None:
        name = VIEWS.names()[number % len(VIEWS.names())]
        page = Page(nbprof.Explorer(nbprof.load(samples / "gpu_resnet_synthetic"), view=name))
        page.result("trace", state=page.state())
        page.result("charts", state=page.state(), view=name, width=300)
        assert page.view.table is not None
        page.view._saver.save()
        page.view.close()

    for number in range(2 * len(VIEWS.names())):
        open_and_close(number)
    before = blocks()
    for number in range(40):
        open_and_close(number)
    assert blocks() - before < 400, "one view has thousands"


def test_1000_filters_leave_no_more_than_one(samples: Path) -> None:
    """Results of filters are kept for the latest ones only."""
    view = nbprof.Explorer(samples / "gpu_resnet_synthetic")
    trace = view.trace

    def sizes() -> int:
        gc.collect()
        return len(trace.model._cache)

    def change(first: int) -> None:
        for at in range(first, first + 40):
            view.filter = {"time_us": (at, 200_000)}
            assert view.table is not None

    change(0)
    small = sizes()
    for turn in range(1, 25):
        change(40 * turn)
    assert sizes() <= small
    view.close()
