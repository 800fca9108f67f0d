"""Charts as SVG: well-formed, small, equal to their tables, legible in both themes."""

from __future__ import annotations

import base64
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from nbprof.charts.donut.ring import ring
from nbprof.charts.marks import BarMark
from nbprof.charts.memory.memory import memory_curve
from nbprof.charts.steps.breakdown import step_breakdown
from nbprof.charts.svg.document import Svg
from nbprof.charts.svg.drawing import STATIC_BAR, STATIC_HEIGHT, STATIC_WIDTH, draw_svg
from nbprof.charts.svg.icons import WIDTH, share_bar, stacked_bar, swatch
from nbprof.charts.svg.theme import EITHER, static_palette
from nbprof.charts.theme import PALETTES
from nbprof.model.contract.table import make_table
from nbprof.model.trace.kinds import CATEGORIES
from nbprof.model.units import format_bytes
from nbprof.tables import TABLES
from tests.charts.support import steps
from tests.charts.test_theme import contrast

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.charts.theme import Palette

PAGES = ("#ffffff", "#111111", "#0d1117")
XMLNS = "{http://www.w3.org/2000/svg}"


def step_bars(table: pa.Table, colors: Palette, unit: str = "auto") -> Svg:
    size = {"width": STATIC_WIDTH, "height": STATIC_HEIGHT}
    return draw_svg(step_breakdown(table, **size, least=STATIC_BAR, unit=unit), colors)


def memory_lines(curve: pa.Table, peak: pa.Table) -> Svg:
    size = {"width": STATIC_WIDTH, "height": STATIC_HEIGHT}
    return draw_svg(memory_curve(curve, peak, **size, column=2), EITHER)


def tree(drawn: Svg) -> Any:
    return ET.fromstring(str(drawn))  # noqa: S314 - our own text


def paths(drawn: Svg) -> list[dict[str, str]]:
    return [element.attrib for element in tree(drawn).iter(f"{XMLNS}path")]


def words(drawn: Svg) -> list[str]:
    return [element.text or "" for element in tree(drawn).iter(f"{XMLNS}text")]


def memory(*sizes: int, reserved: int | None = None, device: int = 0) -> tuple[Any, Any]:
    count = len(sizes)
    curve = {
        "device_type": ["gpu"] * count,
        "device": [device] * count,
        "component": [None] * count,
        "time_us": [float(at) for at in range(count)],
        "allocated_bytes": list(sizes),
        "reserved_bytes": [reserved] * count,
    }
    peak = {
        "device_type": ["gpu"],
        "device": [device],
        "peak_bytes": [max(sizes)],
        "requested_bytes": [None],
        "time_us": [float(int(np.argmax(sizes)))],
        "capacity_bytes": [None],
    }
    return make_table(TABLES["memory_curve"].columns, curve), make_table(
        TABLES["memory_peak"].columns, peak
    )


@pytest.mark.parametrize("page", PAGES)
def test_drawings_without_a_background_stand_out_from_every_page(page: str) -> None:
    inks = (EITHER.allocated, EITHER.reserved, EITHER.remainder)
    for fill in (*EITHER.categories.values(), *EITHER.slots, *inks):
        assert contrast(fill, page) >= 3.0, fill
    for ink in (EITHER.foreground, EITHER.muted):
        assert contrast(ink, page) >= 4.3
    assert list(EITHER.categories) == list(CATEGORIES)
    assert len({*EITHER.categories.values()}) == len(CATEGORIES)


def test_a_theme_that_was_asked_for_brings_its_background() -> None:
    for theme in ("light", "dark"):
        drawn = step_bars(steps(), static_palette(theme))
        first = next(tree(drawn).iter(f"{XMLNS}rect"))
        assert first.attrib["fill"] == PALETTES[theme].background
    assert not list(tree(step_bars(steps(), EITHER)).iter(f"{XMLNS}rect"))


def test_bars_are_as_high_as_their_steps() -> None:
    table = steps(6)
    heights = np.zeros(6)
    for path in paths(step_bars(table, EITHER)):
        pieces = re.findall(r"M[\d.]+ [\d.]+h[\d.]+v([\d.]+)h-[\d.]+Z", path["d"])
        if pieces:
            assert len(pieces) == 6
            heights += [float(piece) for piece in pieces]
    chart = step_breakdown(table, width=STATIC_WIDTH, height=STATIC_HEIGHT)
    per_pixel = (chart.y[1] - chart.y[0]) / chart.height
    expected = np.asarray(table["total_us"]) / 1000 / per_pixel
    # Gaps of a pixel, and tenths of a pixel.
    assert np.all(np.abs(heights - expected) <= len(CATEGORIES) + 0.5)


def test_bars_say_what_they_show() -> None:
    table = steps(6)
    said = words(step_bars(table, EITHER))
    assert {"ms", "Step", "5", "10", "Kernel", "CPU Exec"} <= set(said)
    assert f"mean {np.mean(table['total_us']) / 1000:.1f}" in said


@pytest.mark.parametrize("count", [1, 30, 300, 20_000])
def test_many_steps_stay_small_and_keep_the_slowest(count: int) -> None:
    table = steps(count, first=0)
    drawn = step_bars(table, EITHER)
    assert len(str(drawn)) < 30_000
    chart = step_breakdown(table, width=STATIC_WIDTH, height=STATIC_HEIGHT, least=STATIC_BAR)
    drawn_rows = next(mark.source.columns for mark in chart.marks if isinstance(mark, BarMark))
    numbers = drawn_rows.get("step", drawn_rows["index"])  # the first step is 0
    assert int(np.argmax(table["total_us"])) in numbers
    merged = [text for text in words(drawn) if "slowest of every" in text]
    assert bool(merged) == (count > 130)


def test_units_can_be_chosen() -> None:
    assert "s" in words(step_bars(steps(), EITHER, unit="s"))


def test_a_ring_closes_and_thin_slices_stay() -> None:
    tokens = ["slot0", "slot1", "slot2"]
    drawn = draw_svg(ring([98.0, 1.999, 0.001], tokens, ("100", "ms")), EITHER)
    pieces = paths(drawn)
    assert [piece["fill"] for piece in pieces] == [EITHER.color(token) for token in tokens]
    ends = [re.findall(r"-?[\d.]+ -?[\d.]+(?=[LZ])", piece["d"])[0].split() for piece in pieces]
    starts = [re.findall(r"-?[\d.]+", piece["d"])[:2] for piece in pieces]
    for end, start in zip(ends, [*starts[1:], starts[0]], strict=True):
        assert np.hypot(*np.subtract(np.float64(end), np.float64(start))) < 2
    assert words(drawn) == ["100", "ms"]
    for one in (ring([], [], ("0", "ms")), ring([5.0], ["kernel"], ("5", "ms"))):
        assert len(paths(draw_svg(one, EITHER))) == 1


def test_memory_reaches_its_peak_and_says_so() -> None:
    curve, peak = memory(0, 2**20, 5 * 2**20, 2**20, reserved=6 * 2**20)
    drawn = memory_lines(curve, peak)
    assert f"Peak {format_bytes(5 * 2**20)}" in words(drawn)
    dot = next(tree(drawn).iter(f"{XMLNS}circle"))
    line = " ".join(p["d"] for p in paths(drawn) if p.get("stroke") == EITHER.allocated)
    heights = [float(y) for y in re.findall(r"[ V](-?[\d.]+)", line)]
    assert min(heights) == pytest.approx(float(dot.attrib["cy"]), abs=0.11)
    assert any("stroke-dasharray" in p for p in paths(drawn))


def test_memory_of_many_records_stays_small_and_keeps_its_peak() -> None:
    random = np.random.default_rng(1)
    sizes = random.integers(0, 2**30, 50_000)
    sizes[30_001] = 2**31
    curve, peak = memory(*sizes.tolist())
    drawn = memory_lines(curve, peak)
    assert len(str(drawn)) < 30_000
    line = " ".join(p["d"] for p in paths(drawn) if p.get("stroke") == EITHER.allocated)
    dot = next(tree(drawn).iter(f"{XMLNS}circle"))
    heights = [float(y) for y in re.findall(r"[ V](-?[\d.]+)", line)]
    assert min(heights) == pytest.approx(float(dot.attrib["cy"]), abs=0.11)


def test_without_records_there_is_no_curve() -> None:
    curve, peak = memory(1)
    assert "No memory records" in words(memory_lines(curve.slice(1), peak.slice(1)))


def test_small_bars() -> None:
    for part, wide in ((0.5, WIDTH / 2), (1.0, WIDTH), (7.0, WIDTH)):
        *_, bar = tree(share_bar(part, "kernel", EITHER)).iter(f"{XMLNS}rect")
        assert float(bar.attrib["width"]) == pytest.approx(wide, abs=0.05)
    assert len(list(tree(share_bar(0.0, "kernel", EITHER)).iter(f"{XMLNS}rect"))) == 1
    stacked = stacked_bar([("kernel", 0.5), ("memcpy", 0.25), ("other", 0.25)], EITHER)
    rects = list(tree(stacked).iter(f"{XMLNS}rect"))
    assert [float(r.attrib["x"]) for r in rects] == [0, 270, 405]
    assert rects[2].attrib["fill"].startswith("url(#")
    assert tree(swatch("other", EITHER)) is not None


def test_texts_are_escaped_and_what_xml_cannot_hold_is_replaced() -> None:
    made = Svg(10, 10)
    made.text(1, 1, "<script>\x00\x1b\u202e&\ud800\"'", "#000")
    assert words(made) == ["<script>\ufffd\ufffd\ufffd&\ufffd\"'"]
    uri = made.uri()
    assert uri.startswith("data:image/svg+xml;base64,")
    assert base64.b64decode(uri.partition(",")[2]).decode() == str(made)


def test_drawings_name_no_other_document() -> None:
    for drawn in (step_bars(steps(), EITHER), memory_lines(*memory(1, 2, 3))):
        addresses = re.findall(r"https?://[^\s\"']+", str(drawn))
        assert set(addresses) == {"http://www.w3.org/2000/svg"}
        assert not re.search(
            r"<(script|style|image|use|foreignObject|a)\b|href|\bon\w+=", str(drawn)
        )


def test_drawing_needs_no_bokeh() -> None:
    code = "import sys, nbprof.export.html.summary; print('bokeh' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
