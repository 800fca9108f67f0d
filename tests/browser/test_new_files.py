"""New files in Chromium: the button that appears moves nothing, and views that watch follow."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.widgets.watching import file_check
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

_SAMPLE = ROOT / "tests/samples/gpu_resnet_synthetic"
#: Where everything in the top bar is, apart from the button.
_PLACES = """root => [...root.querySelectorAll('.nbp-bar > :not(.nbp-between), .nbp-tabrow')]
    .map(e => e.getBoundingClientRect()).map(({x, y, width}) => [x, y, width].map(Math.round))"""


@pytest.mark.parametrize("width", [1200, 700, 480])
def test_the_button_appears_and_refreshes_in_place(
    bare: Bare, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    monkeypatch.setattr(file_check, "APART_SECONDS", 0)
    logs = tmp_path / "logs"
    shutil.copytree(_SAMPLE, logs)
    widget, view = bare.show(logs, width=width, view="operators", name="conv")
    page, news = widget.root.page, widget.root.locator(".nbp-news")
    # It comes with a script that is fetched after the first picture.
    baseline = widget.root.locator(".nbp-field:not([hidden])", has_text="Baseline")
    baseline.wait_for(state="attached")
    places = widget.root.evaluate(_PLACES)
    [trace, *_] = sorted(path for path in logs.rglob("*") if path.is_file())
    shutil.copy(
        trace,
        trace.with_name("added.1.pt.trace.json"),
    )
    page.clock.install()
    widget.root.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    page.clock.fast_forward(31_000)
    page.clock.fast_forward(6_000)
    news.wait_for()
    assert news.inner_text() == "Refresh · 1 new file"
    # At least its first word is in sight.
    assert news.evaluate("one => one.getBoundingClientRect().width") >= 72
    assert widget.root.evaluate(_PLACES) == places
    bare.picture(widget, f"new-files-{width}")
    news.click()
    news.wait_for(state="hidden")
    widget.settled()
    assert "added" in [one.worker for one in view.profile]
    assert (view.active, dict(view.filter)) == ("operators", {"name": "conv"})


@pytest.mark.parametrize("width", [1200, 700, 600, 480])
def test_the_field_of_baselines_moves_nothing_when_it_comes(
    bare: Bare, samples_profile: Any, width: int
) -> None:
    widget, _ = bare.show(samples_profile, width=width)
    field = widget.root.locator(".nbp-baseline:not([hidden])")
    field.wait_for(state="attached")
    assert field.evaluate("one => one.getBoundingClientRect().width") >= 84
    places = f"root => ({_PLACES})(root).filter((_, at) => at !== 3)"  # apart from the field
    after = widget.root.evaluate(places)
    field.evaluate("one => one.remove()")
    assert widget.root.evaluate(_PLACES) == after
