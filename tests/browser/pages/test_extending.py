"""The package of docs/extending.md in Chromium: live, on a page, and in the static summary."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import nbprof
from nbprof.sources.recorders import RECORDERS
from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS
from tests.browser.driving.widget import Widget
from tests.browser.pages.test_export_menu import Menu, png_size, words
from tests.conftest import ROOT
from tests.support.extending import install, write_files

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.browser.driving.bare import Bare

pytestmark = pytest.mark.browser

#: The title of the Bokeh figure of the view's own.
FIGURE = "Launches and mean time of kernels"
SAMPLE = ROOT / "tests/samples/gpu_resnet_synthetic"


@pytest.fixture
def _installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the package, and let the registries look for packages anew."""
    install(tmp_path / "package", tmp_path / "installed")
    monkeypatch.syspath_prepend(str(tmp_path / "installed"))
    for registry in (TABLES, VIEWS, RECORDERS):
        monkeypatch.setattr(registry, "_entry_points", None)
        monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))


def rows(widget: Widget) -> list[str]:
    """Return the families in the table on the screen."""
    return widget.column("Kernel families", "family")


def charts_in(menu: Menu) -> set[str]:
    """Return the titles of the charts that can be saved."""
    menu.open()
    buttons = menu.root.locator(".nbp-export button")
    labels = buttons.evaluate_all("all => all.map(button => button.ariaLabel)")
    return {label.removesuffix(": SVG") for label in labels if label.endswith(": SVG")}


def check_exports(widget: Widget) -> None:
    """Save every chart on the screen, the Bokeh figure of the view's own among them."""
    menu = Menu(widget)
    charts = charts_in(menu)
    assert charts == {"Kernel time by family", FIGURE}
    for title in charts:
        _, svg = menu.saved(f"{title}: SVG")
        assert title in words(svg)
        width = ET.fromstring(svg).get("width")  # noqa: S314 - ours
        _, png = menu.saved(f"{title}: PNG")
        assert png_size(png)[0] == 2 * int(width or 0)


@pytest.mark.usefixtures("_installed")
def test_the_view_of_the_package_is_live(bare: Bare, tmp_path: Path) -> None:
    write_files(tmp_path, package=False)
    widget, view = bare.show(nbprof.load(tmp_path / "recordings"), view="families", theme="dark")
    assert view.trace.file.format == "Slices"
    widget.drawn(2)
    assert widget.root.get_by_text("by the names of kernels").count() == 1
    assert rows(widget) == ["convolution", "matrix product", "communication"]
    widget.filter_name("gemm")
    widget.eventually(lambda: rows(widget), ["matrix product"])
    assert view.table["family"].to_pylist() == ["matrix product"]
    assert widget.misfits() == []
    check_exports(widget)
    bare.picture(widget, "extending-live")
    assert view.errors == []


@pytest.mark.usefixtures("_installed")
def test_the_view_of_the_package_is_on_a_page(browser: Browser, tmp_path: Path) -> None:
    view = nbprof.Explorer(SAMPLE, view="families")
    for name, most_bytes in (("with", None), ("without", 800_000)):
        path = view.to_html(tmp_path / f"{name}.html", max_bytes=most_bytes)
        faults: list[str] = []
        with browser.new_context(offline=True) as context:
            page = context.new_page()
            page.on("pageerror", lambda error, faults=faults: faults.append(str(error)))
            page.on(
                "console",
                lambda m, faults=faults: faults.append(m.text) if m.type == "error" else None,
            )
            page.goto(path.as_uri())
            widget = Widget(page.locator(".nbp").first).settled()
            assert widget.root.locator(".nbp-figure svg").count() > 0
            assert (
                rows(widget)
                == view.table.sort_by([("total_us", "descending")])["family"].to_pylist()
            )
            has_bokeh = name == "with"
            assert (page.locator(".nbp-figure canvas").count() > 0) == has_bokeh
            needs = page.get_by_text("This figure needs BokehJS")
            assert needs.count() == (not has_bokeh)
            widget.root.screenshot(path=ROOT / "screenshots" / f"extending-{name}.png")
            if has_bokeh:
                check_exports(widget)
                widget.filter_name("conv")
                widget.eventually(
                    lambda page=page: page.get_by_text("needs Python to apply").count(), 1
                )
            else:
                assert charts_in(Menu(widget)) == {"Kernel time by family"}
        assert faults == []


@pytest.mark.usefixtures("_installed")
def test_the_view_of_the_package_is_in_the_summary(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "summary.html"
    path.write_text(nbprof.Explorer(SAMPLE, view="families").static().html, "utf-8")
    with browser.new_context(java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(path.as_uri())
        assert page.get_by_text("Families: by the names of kernels").count() == 1
        assert page.locator("td", has_text="matrix product").count() == 1


def test_rows_of_a_registered_view_filter_as_others_do(
    bare: Bare, samples_profile: nbprof.Profile
) -> None:
    nbprof.register(nbprof.ViewSpec(name="mine", title="<b>Mine</b>", tables=("kernels",)))
    try:
        widget, view = bare.show(samples_profile, run="gpu_resnet_synthetic", view="mine")
        assert widget.root.get_by_role("tab", name="<b>Mine</b>").count() == 1
        widget.group_by("Name + stack")
        assert view.group_by == "name+stack"
        widget.group_by("Name")
        widget.grid("Kernels").locator("tbody tr").nth(1).click()
        widget.eventually(lambda: view.selected.num_rows, 1)
        name = view.selected["name"][0].as_py()
        widget.page.keyboard.press("Enter")
        widget.settled()
        assert nbprof.Filter.from_dict(view.filter).name is not None
        assert view.table["name"].to_pylist() == [name]
        assert bare.faults == []
    finally:
        VIEWS.unregister("mine")
