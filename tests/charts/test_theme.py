"""Colours have enough contrast with their background, and figures fit any document."""

from __future__ import annotations

import re

import pytest

from nbprof.charts import palette
from nbprof.charts.theme import PALETTES
from nbprof.model.names.short_names import SLOTS
from nbprof.model.trace.kinds import CATEGORIES
from tests.charts.support import (
    kernel_donuts,
    kernels,
    operator_charts,
    operators,
    overview,
    payload,
    step_breakdown,
    steps,
    summary_donut,
)

THEMES = ("light", "dark")


def figures(theme: str) -> list:
    return [
        step_breakdown(steps(6), theme=theme),
        step_breakdown(steps(2000), theme=theme),
        summary_donut(overview(), theme=theme),
        *operator_charts(operators(), theme=theme).values(),
        *kernel_donuts(kernels([3.0, 2.0], [True, False]), theme=theme).values(),
    ]


def rgb(color: str, under: tuple[float, ...] = (0, 0, 0)) -> tuple[float, ...]:
    if color.startswith("#"):
        return tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
    *parts, alpha = (float(n) for n in re.findall(r"[\d.]+", color))
    return tuple(alpha * p + (1 - alpha) * u for p, u in zip(parts, under, strict=True))


def luminance(color: tuple[float, ...]) -> float:
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for c in (part / 255 for part in color)
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(color: str, background: str) -> float:
    under = rgb(background)
    a, b = sorted((luminance(rgb(color, under)), luminance(under)))
    return (b + 0.05) / (a + 0.05)


@pytest.mark.parametrize("theme", THEMES)
def test_contrast(theme: str) -> None:
    colors = palette(theme)
    for text in (colors.foreground, colors.muted):
        assert contrast(text, colors.background) >= 4.5
        assert contrast(text, colors.raised) >= 4.5
    inks = (colors.line_strong, colors.allocated, colors.reserved)
    for fill in (*colors.categories.values(), *colors.slots, *inks):
        assert contrast(fill, colors.background) >= 3.0
    assert list(colors.categories) == list(CATEGORIES)
    assert len(set(colors.categories.values())) == len(CATEGORIES)
    assert len(set(colors.slots)) == SLOTS


def test_unknown_theme() -> None:
    with pytest.raises(ValueError, match=r"'sepia'.*light, dark"):
        palette("sepia")


@pytest.mark.parametrize("theme", THEMES)
def test_figures_stand_on_their_own_background(theme: str) -> None:
    for drawn in figures(theme):
        assert drawn.background_fill_color == PALETTES[theme].background
        assert drawn.border_fill_color == PALETTES[theme].background
        assert drawn.toolbar_location is None
        assert drawn.outline_line_color is None


@pytest.mark.parametrize("theme", THEMES)
def test_figures_run_no_code_and_fetch_nothing(theme: str) -> None:
    for drawn in figures(theme):
        sent = payload(drawn)
        assert "CustomJS" not in sent
        assert not re.search(r"https?://|url\(", sent)


@pytest.mark.parametrize("theme", THEMES)
def test_figures_pass_the_checks_of_bokeh(theme: str, caplog: pytest.LogCaptureFixture) -> None:
    for drawn in figures(theme):
        payload(drawn)
    assert not caplog.records
