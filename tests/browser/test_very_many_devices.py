"""Views of very many devices: lists that scroll, and captions that say what they leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import nbprof
from nbprof.sources.writing.trace import write_chrome_trace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

MANY = 130


@pytest.fixture(scope="module")
def many_devices(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = np.arange(MANY)
    host = {"name": ["aten::mm"], "kind": ["operator"], "start_ns": [0], "duration_ns": [10**6]}
    device = {
        "name": ["gemm"] * MANY,
        "device": at,
        "start_ns": at * 1000,
        "duration_ns": 1000 + at,
    }
    memory = {
        "time_ns": at * 1000,
        "address": at + 1,
        "bytes": (at + 1) << 20,
        "device_type": np.ones(MANY, np.int32),
        "device": at,
    }
    path = tmp_path_factory.mktemp("many") / "worker0.pt.trace.json"
    model = nbprof.build_model(host=host, device=device, memory=memory)
    write_chrome_trace(model, path)
    return path


def test_the_busiest_are_in_lists_that_scroll(bare: Bare, many_devices: Path) -> None:
    widget, view = bare.show(many_devices, view="overview", width=1400)
    lists = widget.root.locator(".nbp-manydevices")
    assert lists.count() == 2
    for one in lists.all():
        shown, whole = one.evaluate("one => [one.clientHeight, one.scrollHeight]")
        assert 0 < shown < whole / 3
        assert f"the busiest 100 of {MANY}" in one.locator("xpath=..").inner_text()
    view.close()


def test_the_caption_of_memory_says_which_devices_are_listed(
    bare: Bare, many_devices: Path
) -> None:
    widget, view = bare.show(many_devices, view="memory", width=1400)
    assert f"listed: the 100 of {MANY} devices with the highest peaks" in widget.root.inner_text()
    view.close()
