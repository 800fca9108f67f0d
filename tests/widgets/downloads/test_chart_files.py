"""Charts as SVG and PNG from Python."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

from nbprof.model.errors import UnknownNameError
from nbprof.widgets.downloads.chart_files import RasterError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page


def texts(svg: str) -> set[str]:
    tree = ET.fromstring(svg)  # noqa: S314 - ours
    return {"".join(one.itertext()) for one in tree.iter("{http://www.w3.org/2000/svg}text")}


def test_every_chart_of_a_view_is_drawn(page: Page, tmp_path: Path) -> None:
    for view in ("overview", "operators", "kernels"):
        page.view.active = view
        names = list(page.view.figures)
        assert names
        for name in names:
            assert texts(page.view.to_svg(chart=name)), name
    file = tmp_path / "kernels.svg"
    text = page.view.to_svg(file)
    assert file.read_text("utf-8") == text + "\n"
    assert any("add_kernel" in one for one in texts(text))


def test_filter_theme_and_unit_are_those_of_the_view(page: Page) -> None:
    view = page.view
    view.active = "kernels"
    whole = view.to_svg()
    view.filter = {"name": "add_kernel"}
    view.time_unit, view.theme = "ns", "dark"
    narrowed = view.to_svg()
    assert "#111111" in narrowed
    assert "#111111" not in whole
    assert "of 756,000 ns" in texts(narrowed)
    assert "of 756,000 ns" not in texts(whole)
    assert any("in the filter" in one for one in texts(narrowed))


def test_a_chart_that_there_is_not_is_named(page: Page, tmp_path: Path) -> None:
    page.view.active = "kernels"
    with pytest.raises(UnknownNameError, match="no chart 'pie'; there are total_time"):
        page.view.to_svg(tmp_path / "x.svg", chart="pie")
    assert not (tmp_path / "x.svg").exists()
    page.view.active = "timeline"
    with pytest.raises(UnknownNameError, match="no chart under its filter"):
        page.view.to_svg()


def test_a_png_says_what_to_install(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cairosvg", None)
    with pytest.raises(RasterError, match="pip install cairosvg"):
        page.view.to_png(tmp_path / "x.png")
    assert not list(tmp_path.glob("x.png"))


def test_a_png_is_that_of_the_drawing(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: dict[str, Any] = {}

    def svg2png(**options: Any) -> bytes:
        asked.update(options)
        return b"pixels"

    monkeypatch.setitem(sys.modules, "cairosvg", SimpleNamespace(svg2png=svg2png))
    file = page.view.to_png(tmp_path / "x.png")
    assert file.read_bytes() == b"pixels"
    assert asked == {"bytestring": page.view.to_svg().encode(), "scale": 2}
