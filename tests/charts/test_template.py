"""Figures as template and data: a filter changes only columns and settings."""

from __future__ import annotations

import json
import math

import numpy as np

from nbprof import charts
from nbprof.charts.figures.models import column
from nbprof.charts.figures.template import figure_parts
from tests.charts.support import steps


def test_what_is_no_number_is_not_null() -> None:
    # BokehJS takes null for zero, and would draw a bar to there.
    nan = {"type": "number", "value": "nan"}
    odd = column([1.0, math.nan, math.inf, -math.inf, None, "text"])
    assert odd == [
        1.0,
        nan,
        {"type": "number", "value": "inf"},
        {"type": "number", "value": "-inf"},
        None,
        "text",
    ]
    assert column([[0.0, math.nan]]) == [[0.0, nan]]
    json.dumps(odd, allow_nan=False)


def test_numbers_of_arrays_keep_every_digit() -> None:
    packed = column(np.array([0.1, math.nan]))
    assert (packed["dtype"], packed["shape"]) == ("float64", [2])
    assert column(np.array([1, 2]))["dtype"] == "int32"
    assert column(np.array([2**40]))["dtype"] == "float64"


def test_parts_of_bars_without_length_are_not_drawn() -> None:
    table = steps(2).select(["step", "kernel_us", "memcpy_us"])
    named = table.set_column(0, "of", [["a", "b"]])
    series = {"kernel_us": ("K", "slot1"), "memcpy_us": ("M", "slot2")}
    zero = named.set_column(2, "memcpy_us", [[0.0, 0.0]])
    chart = charts.stacked_bars(zero, x="of", series=series)
    source = next(mark.source for mark in chart.marks if mark.source.name == "bars")
    assert all(map(math.isnan, source.columns["s1_to"]))
    assert not any(map(math.isnan, source.columns["s0_to"]))


def test_the_template_is_that_of_all_charts_of_its_form() -> None:
    one, other = (figure_parts(charts.step_breakdown(steps(n))) for n in (3, 5))
    assert one.root == other.root
    assert one.columns.keys() == other.columns.keys()
    assert one.columns != other.columns
    assert one.settings.keys() == other.settings.keys()
    assert one.settings != other.settings
    dark = figure_parts(charts.step_breakdown(steps(3)), "dark")
    assert dark.root != one.root, "colours are those of the template"
