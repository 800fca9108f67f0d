"""The timeline in JupyterLab: wheel, drag, keys, search, ranges, arrows, themes, no kernel."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.driving.timeline import Timeline
from tests.browser.driving.widget import Widget
from tests.browser.lab.test_lab import write
from tests.support.recordings.large import large_trace

if TYPE_CHECKING:
    from pathlib import Path

    from tests.browser.driving.lab import Lab

pytestmark = pytest.mark.browser

NEXT = re.compile("^Next .* match$")
SHOW = 'import nbprof\nview = nbprof.show("../runs", view="timeline")\nview'


def open_timeline(lab: Lab, folder: Path, *cells: str) -> Timeline:
    """Run a notebook of these cells and give the timeline of the first widget on it."""
    lab.open(write(folder, *(cells or (SHOW,))))
    lab.run_all()
    return Timeline(Widget(lab.widgets().first)).ready()


def python(lab: Lab, expression: str) -> Any:
    """Evaluate in the notebook's kernel, where `view` is the view."""
    return json.loads(lab.python(f"import json\nprint(json.dumps({expression}))"))


def close(found: Any, wanted: Any, tolerance: float) -> bool:
    """Whether two windows are the same as far as the screen can tell."""
    return found is not None and all(
        abs(a - b) <= tolerance for a, b in zip(found, wanted, strict=True)
    )


def test_the_wheel_zooms_with_a_key_and_scrolls_the_page_without(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    lab.resize(1400, 700)
    timeline.ready().canvas.scroll_into_view_if_needed()
    timeline.canvas.focus()  # the page scrolls even then
    first, last = timeline.window_us()
    top = timeline.at(0, 0)[1]
    timeline.wheel(-60)
    timeline.widget.eventually(lambda: timeline.at(0, 0)[1] > top, expected=True)
    timeline.wheel(60)
    timeline.widget.eventually(lambda: timeline.at(0, 0)[1], top)
    assert timeline.window_us() == (first, last)

    # What is under the pointer stays there.
    timeline.wheel(-200, held="Control", x=0.25)
    timeline.widget.eventually(lambda: timeline.length_us() < 0.9 * (last - first), expected=True)
    zoomed = timeline.window_us()
    at = first + 0.25 * (last - first)
    assert abs(zoomed[0] + 0.25 * (zoomed[1] - zoomed[0]) - at) < 0.005 * (last - first)

    timeline.wheel(100, held="Shift")
    timeline.widget.eventually(lambda: timeline.window_us()[0] > zoomed[0], expected=True)
    assert abs(timeline.length_us() - (zoomed[1] - zoomed[0])) < 0.01 * (last - first)


def test_a_drag_moves_the_window_and_never_blanks(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    lab.python("view.window = [30_000, 60_000]")
    timeline.widget.eventually(
        lambda: close(timeline.window_us(), (30_000, 60_000), 50), expected=True
    )
    timeline.ready()
    seen = timeline.drag((0.8, 0.2), (0.2, 0.2))
    assert all(left > 0.5 and right > 0.5 for left, right in seen), seen
    timeline.widget.eventually(lambda: timeline.window_us()[0] > 40_000, expected=True)
    timeline.widget.eventually(
        lambda: close(python(lab, "view.window"), timeline.window_us(), 50), expected=True
    )
    timeline.ready()
    assert all(share > 0.5 for share in timeline.columns())


def test_the_keys_move_and_help_lists_them(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    whole = timeline.window_us()
    timeline.press("w")
    timeline.widget.eventually(lambda: timeline.length_us() < whole[1] - whole[0], expected=True)
    zoomed = timeline.window_us()
    timeline.press("d")
    timeline.widget.eventually(lambda: timeline.window_us()[0] > zoomed[0], expected=True)
    timeline.press("a")
    timeline.widget.eventually(lambda: close(timeline.window_us(), zoomed, 2), expected=True)
    timeline.press("0")
    timeline.widget.eventually(timeline.window_us, whole)
    timeline.widget.eventually(lambda: python(lab, "view.window"), None)
    timeline.press("?")
    help_box = timeline.widget.root.get_by_role("dialog")
    help_box.wait_for()
    assert "zoom in" in help_box.inner_text()
    lab.screenshot("timeline-help", timeline.widget.root)
    lab.page.keyboard.press("Escape")
    help_box.wait_for(state="hidden")

    # Arrow keys go through slices, F shows the one that was come to.
    timeline.press("ArrowRight")
    timeline.widget.eventually(lambda: len(python(lab, "view.selection")), 1)
    for _ in range(2):  # from a kernel to the ranges around it, which are below it
        chosen = python(lab, "view.selection")
        timeline.press("ArrowDown")
        lab.page.wait_for_timeout(300)  # a hand is no faster
        assert python(lab, "view.selection") != chosen
    timeline.press("f")
    timeline.widget.eventually(lambda: timeline.length_us() < whole[1] - whole[0], expected=True)
    timeline.press("Escape")
    timeline.widget.eventually(lambda: python(lab, "view.selection"), [])


def test_a_search_counts_what_python_counts(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    timeline.search("conv2d")
    expected = python(
        lab, "sum('conv2d' in n.casefold() for n in view.trace.slices()['name'].to_pylist())"
    )
    assert expected > 0
    timeline.widget.eventually(timeline.count, f"1 of {expected:,}")
    assert python(lab, "view.search") == "conv2d"
    timeline.widget.root.get_by_role("button", name=NEXT).click()
    timeline.widget.eventually(timeline.count, f"1 of {expected:,}")
    timeline.widget.eventually(lambda: "conv2d" in timeline.details().casefold(), expected=True)
    first = python(lab, "view.selected['start_us'].to_pylist()")
    timeline.widget.root.get_by_role("button", name=NEXT).click()
    timeline.widget.eventually(timeline.count, f"2 of {expected:,}")
    timeline.widget.eventually(
        lambda: python(lab, "view.selected['start_us'].to_pylist()") > first, expected=True
    )
    lab.screenshot("timeline-search", timeline.widget.root)
    timeline.search("nothing is called this")
    timeline.widget.eventually(timeline.count, "No match")


def test_a_range_becomes_the_filter_of_every_view(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    everything = python(lab, "view.trace.operators().num_rows")
    timeline.drag((0.3, 0.1), (0.5, 0.9), held="Shift")
    timeline.widget.eventually(lambda: len(python(lab, "view.selection")) > 0, expected=True)
    area = python(lab, "view.selection[0]")
    table = python(lab, "view.selected.to_pydict()")
    assert sum(table["count"]) > 0
    tab = f"Range ({sum(table['count']):,} slices)"
    timeline.widget.root.get_by_role("tab", name=tab).wait_for()
    on_host = [place for place, side in enumerate(table["side"]) if side == "host"]
    first = max(on_host, key=lambda place: table["self_us"][place])
    assert table["name"][first][:12] in timeline.details()
    lab.screenshot("timeline-range", timeline.widget.root)

    timeline.page.keyboard.press("Enter")  # the drag left the focus where Enter acts
    timeline.widget.eventually(lambda: "time_us" in python(lab, "view.filter"), expected=True)
    time_us = python(lab, "view.filter['time_us']")
    assert close(time_us, (area["start_us"], area["end_us"]), 0.001)
    expected = python(
        lab, f"view.profile.trace().filter(time_us={time_us!r}).operators().to_pydict()"
    )
    assert 0 < len(expected["name"]) <= everything
    widget = timeline.widget.open_view("Operators")
    calls = dict(zip(expected["name"], expected["calls"], strict=True))
    widget.eventually(
        lambda: [
            int(row["calls"].replace(",", "")) == calls.get(row["name"])
            for row in widget.rows("Operators")[:8]
        ],
        [True] * min(8, len(calls)),
    )
    widget.root.get_by_role("tab", name="Timeline", exact=True).click()
    timeline.ready()
    timeline.widget.root.get_by_role("tab", name=tab).wait_for()  # still there
    timeline.press("Enter")  # takes the filter back
    timeline.widget.eventually(lambda: python(lab, "view.filter"), {})


def test_arrows_and_keys_lead_from_the_kernel_to_its_operator(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    lab.python(
        "links = view.trace.model.links\n"
        "kernel = next(i for i in range(len(links.launch)) "
        "if links.launch[i] >= 0 and links.operator[i] >= 0)\n"
        "view.selection = [{'side': 'device', 'row': kernel}]"
    )
    name = python(lab, "view.selected['name'][0].as_py()")
    timeline.widget.eventually(lambda: name[:8] in timeline.details(), expected=True)
    timeline.ready()
    lab.screenshot("timeline-arrow", timeline.widget.root)
    for key, row in (("l", "launch"), ("[", "operator")):
        timeline.press(key)
        wanted = [{"side": "host", "row": python(lab, f"int(links.{row}[kernel])")}]
        timeline.widget.eventually(lambda: python(lab, "view.selection"), wanted)
        if key == "l":
            timeline.widget.root.get_by_text("Kernel", exact=True).first.wait_for()
            timeline.press("k")
            sides = "[one['side'] for one in view.selection]"
            timeline.widget.eventually(lambda: python(lab, sides), ["device"])  # noqa: B023


def test_a_row_of_a_table_shows_its_slices(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    widget = timeline.widget.open_view("Kernels")
    name = widget.column("Kernels", "name")[0]
    widget.grid("Kernels").locator("tbody tr[data-line]").first.click()
    widget.root.get_by_role("button", name="Show in timeline").click()
    widget.root.get_by_role("tab", name="Timeline", exact=True, selected=True).wait_for()
    timeline.ready()
    table = python(lab, "view.trace.kernels().sort_by([('total_us', 'descending')]).to_pydict()")
    timeline.widget.eventually(
        lambda: timeline.count().split(" of ")[-1].split(" ")[0], f"{table['calls'][0]:,}"
    )
    assert name
    timeline.widget.eventually(lambda: len(python(lab, "view.selection")), 1)
    assert python(lab, "view.selected['name'][0].as_py()") == table["name"][0]


def test_both_themes_and_three_widths(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    lab.python("view.window = [30_000, 60_000]")
    timeline.widget.eventually(
        lambda: close(timeline.window_us(), (30_000, 60_000), 50), expected=True
    )
    for theme in ("light", "dark"):
        lab.theme(theme)
        for width in (1400, 900, 560):
            lab.resize(width)
            timeline.ready()
            timeline.widget.eventually(timeline.widget.misfits, [])
            lab.screenshot(f"timeline-{theme}-{width}", timeline.widget.root)
            room = timeline.canvas.evaluate(
                """canvas => {
                  const frame = canvas.closest('.nbp-tl-frame').getBoundingClientRect();
                  return frame.right - canvas.getBoundingClientRect().right;
                }"""
            )
            assert 0 <= room <= 20, (theme, width)
    lab.theme("light")


def test_without_a_kernel_it_pans_and_zooms_over_the_saved_state(lab: Lab, lab_root: Path) -> None:
    timeline = open_timeline(lab, lab_root)
    lab.save_with_widgets('"timeline"')
    lab.call("() => window.jupyterapp.shell.currentWidget.sessionContext.restartKernel()")
    timeline.widget.root.get_by_text("Disconnected").first.wait_for()
    whole = timeline.window_us()
    timeline.press("w")
    timeline.press("w")
    timeline.widget.eventually(lambda: timeline.length_us() < whole[1] - whole[0], expected=True)
    seen = timeline.drag((0.6, 0.2), (0.3, 0.2))
    assert all(left > 0.3 and right > 0.3 for left, right in seen), seen
    note = timeline.widget.root.get_by_role("note")
    note.wait_for()
    assert "state saved with the notebook" in note.inner_text()
    lab.screenshot("timeline-disconnected", timeline.widget.root)


def test_a_saved_notebook_shows_the_saved_state(lab: Lab, lab_root: Path) -> None:
    open_timeline(lab, lab_root)
    lab.save_with_widgets('"timeline"')
    lab.reopen_without_kernel("notebooks/page.ipynb")
    reopened = Timeline(Widget(lab.widgets().first))
    reopened.canvas.wait_for()
    reopened.widget.eventually(lambda: reopened.pixels()[1] >= 4, expected=True)
    note = reopened.widget.root.get_by_role("note")
    note.wait_for()
    assert "state saved with the notebook" in note.inner_text()
    whole = reopened.window_us()
    reopened.press("w")
    reopened.widget.eventually(lambda: reopened.length_us() < whole[1] - whole[0], expected=True)
    lab.screenshot("timeline-saved", reopened.widget.root)


def test_a_million_events(lab: Lab, lab_root: Path, tmp_path: Path) -> None:
    path = large_trace(tmp_path / "large.pt.trace.json", 1_000_000)
    show = f"import nbprof\nview = nbprof.show({str(path)!r}, view='timeline')\nview"
    timeline = open_timeline(lab, lab_root, show)
    assert python(lab, "view.trace.metadata['events']") > 900_000
    whole = timeline.window_us()
    for _ in range(6):
        timeline.wheel(-300, held="Control")
    timeline.widget.eventually(
        lambda: timeline.length_us() < (whole[1] - whole[0]) / 20, expected=True
    )
    timeline.ready()
    seen = timeline.drag((0.8, 0.2), (0.2, 0.2))
    assert all(left > 0.3 and right > 0.3 for left, right in seen), seen
    timeline.ready()
    lab.screenshot("timeline-million", timeline.widget.root)
