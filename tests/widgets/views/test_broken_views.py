"""Broken views, tables and packages of others are named, and break nothing else."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

import nbprof
from nbprof import Card, CardChart, ExtensionWarning
from nbprof.export.summary_part import SummaryPart
from nbprof.sources.recorders import RECORDERS
from nbprof.tables import TABLES
from nbprof.widgets.requests.handlers import operations
from nbprof.widgets.views.registry import VIEWS
from tests.support.programs.offline import header
from tests.widgets.views.custom import HOSTILE, TABLE, VIEW, cards, kept, shown

if TYPE_CHECKING:
    from pathlib import Path

    from tests.widgets.conftest import Page
    from tests.widgets.views.conftest import Register


def fails(*_: Any, **__: Any) -> Any:
    message = f"no {HOSTILE}"
    raise RuntimeError(message)


def nonsense(*_: Any, **__: Any) -> Any:
    return [7, "seven", None]


def no_such_table(_: Any) -> list[Card]:
    series = (("total", "Time", "kernel"),)
    chart = CardChart("bars", "bad", "no_such_table", "name", series)
    return [Card("bad", "Bad", charts={"": (chart,)}), *cards(_)]


def no_such_color(_: Any) -> list[Card]:
    series = (("total", "Time", "mauve"),)
    chart = CardChart("bars", "bad", "long_kernels", "name", series)
    return [Card("bad", "Bad", charts={"": (chart,)}), *cards(_)]


def no_figure(*_: Any) -> dict[str, Any]:
    return {"bad": "no figure"}


BROKEN = {
    "cards fail": {"cards": fails},
    "cards are none": {"cards": nonsense},
    "a card of no table": {"cards": no_such_table},
    "a card of no colour": {"cards": no_such_color},
    "figures fail": {"figures": fails},
    "figures are none": {"figures": nonsense},
    "a figure is none": {"figures": no_figure},
    "keeps fails": {"keeps": fails},
    "keeps nonsense": {"keeps": nonsense},
    "needs nonsense": {"needs": ("no such thing",)},
    "the summary fails": {"summary": (SummaryPart("x", fails, fails),)},
    "the summary is nonsense": {"summary": (7,)},
    "operations are nonsense": {"operations": {"x": 7}},
}


@pytest.mark.filterwarnings("ignore::nbprof.ExtensionWarning")
@pytest.mark.parametrize("change", BROKEN.values(), ids=BROKEN)
def test_a_broken_view_breaks_nothing_else(
    open_page: Any, logs: Path, register: Register, tmp_path: Path, change: dict[str, Any]
) -> None:
    register(replace(VIEW, **change))
    page = open_page(logs, view="mine")
    result, _ = shown(page, state=page.state())
    assert set(result["figures"]) & {"long", "totals"}
    assert "<table" in page.view.static().html
    assert page.view.table.num_rows
    page.result("page", state=page.state(), table="long_kernels")
    entries = header(kept(page))["entries"]
    assert "table:steps:" in entries
    assert page.view.to_html(tmp_path / "page.html").stat().st_size > 0
    page.result("overview", state=page.state(), width=600)
    assert page.view.errors == []


WARNED = {
    "cards fail": "The view 'mine' is shown without its cards: ",
    "figures fail": "The view 'mine' is shown without its figures: ",
    "keeps fails": "The view 'mine' is left out of what is kept: ",
    "needs nonsense": "The view 'mine' is left out of what is kept: ",
    "the summary fails": "The view 'mine' is left out of the summary: ",
}


def everywhere(page: Page) -> dict[str, Any]:
    """Ask for the charts of a view, its summary and what is kept of it; gives the charts."""
    result, _ = shown(page, state=page.state())
    page.view.static()
    kept(page)
    return result


@pytest.mark.parametrize("name", WARNED)
def test_a_broken_view_is_named(open_page: Any, logs: Path, register: Register, name: str) -> None:
    register(replace(VIEW, **BROKEN[name]))
    page = open_page(logs, view="mine")
    with pytest.warns(ExtensionWarning, match=WARNED[name]):
        result = everywhere(page)
    if name in ("cards fail", "figures fail"):
        assert HOSTILE in result["notes"][0]


def test_operations_that_are_none_are_left_out(register: Register) -> None:
    register(replace(VIEW, operations={"x": 7}))
    with pytest.warns(ExtensionWarning, match="'mine' is left out of what can be asked for"):
        assert "x" not in operations()


@pytest.mark.parametrize("change", [{"tables": ("no_such_table",)}, {"script": "no_such_script"}])
def test_a_view_that_cannot_have_a_tab_has_none(
    open_page: Any, logs: Path, register: Register, change: dict[str, Any]
) -> None:
    register(replace(VIEW, **change))
    with pytest.warns(ExtensionWarning, match="'mine' is left out of the explorer"):
        view = open_page(logs).view
    assert "mine" not in view.views
    assert view.active == "overview"


@pytest.mark.parametrize("broken", [fails, nonsense])
def test_a_table_that_cannot_be_made_is_an_error_in_its_place(
    open_page: Any, logs: Path, register: Register, broken: Any
) -> None:
    register(replace(TABLE, make=broken))
    register(VIEW)
    page = open_page(logs, view="mine")
    with pytest.warns(ExtensionWarning, match="The table 'long_kernels' could not be computed"):
        error = page.error("page", state=page.state(), table="long_kernels")
    assert "The table 'long_kernels' could not be computed" in error["message"]
    with pytest.warns(ExtensionWarning, match="long_kernels"):
        assert "<table" in page.view.static().html
    with pytest.warns(ExtensionWarning, match="long_kernels"):
        assert "table:steps:" in header(kept(page))["entries"]
    page.result("overview", state=page.state(), width=600)


@pytest.mark.parametrize("name", [HOSTILE, "two words", "", "a:b", 7])
def test_names_are_words(name: Any, register: Register) -> None:
    with pytest.raises((ValueError, TypeError)):
        register(replace(VIEW, name=name))
    with pytest.raises(ValueError, match="A name may contain letters"):
        nbprof.register(replace(TABLE, name=name))


def test_names_that_are_taken(register: Register) -> None:
    with pytest.raises(ValueError, match="nbprof has a view 'kernels' of its own"):
        register(replace(VIEW, name="kernels"))


@pytest.mark.parametrize("field", ["cards", "figures", "tables", "title", "readers"])
def test_what_fields_hold_is_checked_at_once(field: str) -> None:
    with pytest.raises(TypeError, match=f"{field} of a view is a"):
        replace(VIEW, **{field: 7})


#: A package of which nothing works: what its module says, and its entry points.
BROKEN_PACKAGE = """
from nbprof import TableSpec, ViewSpec
NOT_ONE = 7
OTHER = ViewSpec(name="other_name", title="x")
def fails(*_, **__):
    raise RuntimeError("no")
TABLE = TableSpec("bad_table", "nothing", (), fails, scope="both")
VIEW = ViewSpec(name="bad_view", title="Bad", tables=("bad_table",), cards=fails, figures=fails)
"""
POINTS = """
[nbprof.tables]
kernels = broken_package:TABLE
bad_table = broken_package:TABLE
no_table = broken_package:NOT_ONE
[nbprof.views]
kernels = broken_package:VIEW
bad_view = broken_package:VIEW
other_view = broken_package:OTHER
no_view = broken_package:NO_SUCH_THING
<b>view</b> = broken_package:VIEW
[nbprof.recorders]
no_recorder = broken_package.no_such_module:RECORDER
"""


@pytest.fixture
def _broken_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a package of which nothing works."""
    info = tmp_path / "packages" / "broken_package-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken_package\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(POINTS)
    (info.parent / "broken_package.py").write_text(BROKEN_PACKAGE)
    monkeypatch.syspath_prepend(str(info.parent))
    for registry in (TABLES, VIEWS, RECORDERS):
        monkeypatch.setattr(registry, "_entry_points", None)
        monkeypatch.setattr(registry, "_loaded", dict(registry._loaded))
        monkeypatch.setattr(registry, "_broken", {})


@pytest.mark.usefixtures("_broken_package")
def test_a_broken_package_breaks_nothing(open_page: Any, logs: Path, tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        page = open_page(logs)
        shown(page, state=page.state())
        page.result("overview", state=page.state(), width=600)
        assert "<table" in page.view.static().html
        page.view.to_html(tmp_path / "page.html")
        assert page.view.profile.kernels().num_rows
    assert page.view.errors == []
    names = [tab["name"] for tab in page.view.tabs if not VIEWS.is_own(tab["name"])]
    assert names == ["bad_view"]
    said = {str(one.message) for one in caught if one.category is ExtensionWarning}
    for name in ("kernels", "no_table", "other_view", "no_view", "no_recorder", "<b>view</b>"):
        assert any(repr(name) in text and "'broken_package'" in text for text in said), name
    assert any("'bad_view'" in text for text in said)
    assert any("'bad_table'" in text for text in said)
