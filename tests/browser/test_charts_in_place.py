"""Charts under a filter in Chromium: the figures stay and their data change."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import nbprof
    from tests.browser.driving.bare import Bare
    from tests.browser.driving.widget import Widget

pytestmark = pytest.mark.browser

#: Gives every drawn figure a mark that a figure drawn anew would not have.
_MARK = """root => {
    const figures = [...root.querySelectorAll('.nbp-figure > div')].filter(e => e.offsetHeight);
    for (const one of figures) one.dataset.mark = 'kept';
    return figures.length;
}"""
_MARKED = """root => [...root.querySelectorAll('.nbp-figure > div')]
    .filter(e => e.offsetHeight && e.dataset.mark === 'kept').length"""
#: The pixels of every figure; the data of those out of sight waits until they come near.
_PIXELS = """async root => {
    const canvases = host => [...host.querySelectorAll('*')].flatMap(e =>
        e.tagName === 'CANVAS' ? [e] : e.shadowRoot ? canvases(e.shadowRoot) : []);
    const figures = [...root.querySelectorAll('.nbp-figure')].filter(e => e.checkVisibility());
    for (const figure of figures) {
        figure.scrollIntoView({ block: 'nearest' });
        for (let frame = 0; frame < 4; frame += 1) await new Promise(requestAnimationFrame);
    }
    return figures.map(figure => {
        const [canvas] = canvases(figure);
        const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        let text = '';
        for (let i = 0; i < data.length; i += 8192)
            text += String.fromCharCode(...data.subarray(i, i + 8192));
        return btoa(text);
    });
}"""
VIEWS = ("overview", "operators", "kernels", "memory")


def filter_step(widget: Widget, view: nbprof.Explorer, step: int) -> None:
    """Type a step into the filter, its last and then its first."""
    for end in ("last", "first"):
        field = widget.root.get_by_role("textbox", name=f"Steps, {end}")
        field.fill(str(step))
        field.press("Enter")
        widget.settled()
    widget.eventually(lambda: dict(view.filter), {"steps": [step, step]})


def filter_name(widget: Widget, view: nbprof.Explorer, name: str) -> None:
    """Type a name into the filter."""
    widget.filter_name(name).settled()
    widget.eventually(lambda: dict(view.filter).get("name"), name)
    widget.settled()


@pytest.mark.parametrize("name", VIEWS)
def test_a_filter_exchanges_data_in_place(
    bare: Bare, samples_profile: nbprof.Profile, name: str
) -> None:
    widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view=name, time_unit="ms")
    count = widget.root.evaluate(_MARK)
    assert count > 0
    whole = pixels(widget)
    filter_step(widget, view, view.trace.steps()["step"][1].as_py())
    assert widget.root.evaluate(_MARKED) == count
    assert differing(whole, pixels(widget)), "the step looks like all steps"
    filter_name(widget, view, "conv")
    assert widget.root.evaluate(_MARKED) == count
    assert bare.faults == []


@pytest.mark.parametrize("name", VIEWS)
def test_they_look_as_if_drawn_anew(bare: Bare, samples_profile: nbprof.Profile, name: str) -> None:
    shown: dict[str, Any] = {"run": "gpu_resnet_synthetic", "view": name, "time_unit": "ms"}
    widget, view = bare.show(samples_profile, **shown)
    filter_step(widget, view, view.trace.steps()["step"][1].as_py())
    anew, _ = bare.show(samples_profile, filter=view.filter, **shown)
    assert differing(pixels(widget), pixels(anew)) == []
    filter_name(widget, view, "conv")
    anew, _ = bare.show(samples_profile, filter=view.filter, **shown)
    assert differing(pixels(widget), pixels(anew)) == []


def pixels(widget: Widget) -> list[NDArray[np.uint8]]:
    """Return what is painted of each figure in sight."""
    found = widget.root.evaluate(_PIXELS)
    return [np.frombuffer(base64.b64decode(one), np.uint8) for one in found]


def differing(one: list[NDArray[np.uint8]], other: list[NDArray[np.uint8]]) -> list[int]:
    """Return which figures look different.

    How opaque a pixel is does not count: BokehJS paints over the smoothed edge of a figure again.
    A thousandth may differ: at an edge it matters how the page rounds a figure's place.
    """

    def differ(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> bool:
        if a.shape != b.shape:
            return True
        far = np.abs(a.astype(np.int16) - b).reshape(-1, 4)[:, :3] > 32
        return bool(far.mean() > 1e-3)

    pairs = enumerate(zip(one, other, strict=True))
    return [at for at, (a, b) in pairs if differ(a, b)]
