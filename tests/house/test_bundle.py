"""The built browser side that is committed: there, small, and without a network.

`make js` builds it again and compares.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nbprof.export.scripts import (
    OTHERS,
    ScriptError,
    compressed,
    script,
    scripts_of_view,
    view_scripts,
)
from nbprof.widgets.views.registry import VIEWS as VIEWS_OF_NBPROF
from nbprof.widgets.views.spec import GENERIC_SCRIPT

ROOT = Path(__file__).resolve().parents[2]
STATIC = ROOT / "nbprof" / "static"
JS = ROOT / "js"
VIEWS = tuple(f"views/{name}.js" for name in view_scripts())
SCRIPTS = ("widget.js", *(f"{name}.js" for name in OTHERS), *VIEWS)
FILES = (*SCRIPTS, "page.js", "widget.css", "THIRD_PARTY_LICENSES.txt")

#: Every model carries the core; saved notebooks and pages carry the scripts of what they show.
BUDGETS = {
    "widget.js": 170_000,
    "offline.js": 72_000,
    "patterns.js": 160_000,
    "picking.js": 10_000,
    "stacks.js": 12_000,
    "spreads.js": 8_000,
    "tools.js": 14_000,
    "page.js": 4_000,
    **dict.fromkeys(VIEWS, 100_000),
}

#: What the scripts of all views, and those that stand in for Python, take in a saved notebook.
SAVED_BYTES = 400_000


@pytest.mark.parametrize("name", FILES)
def test_the_bundle_is_committed(name: str) -> None:
    assert (STATIC / name).stat().st_size > 0
    assert "generated" in (ROOT / ".gitattributes").read_text()


@pytest.mark.parametrize("name", BUDGETS)
def test_a_script_is_within_its_budget(name: str) -> None:
    assert (STATIC / name).stat().st_size <= BUDGETS[name]


def test_a_saved_notebook_has_room_for_all_scripts() -> None:
    names = (*OTHERS, *view_scripts())
    assert sum(len(compressed(name)) for name in names) <= SAVED_BYTES


def test_every_view_has_a_script() -> None:
    own = {view.script for view in VIEWS_OF_NBPROF.specs()}
    assert {name for name in view_scripts() if "." not in name} == {*own, GENERIC_SCRIPT}
    with pytest.raises(ScriptError, match="There is no script"):
        script("../widget")


def test_a_second_script_comes_with_that_of_its_view() -> None:
    assert scripts_of_view("timeline") == ("timeline", "timeline.later")
    assert scripts_of_view("time") == ("time",)
    seconds = {name for name in view_scripts() if "." in name}
    assert seconds < {
        name for view in VIEWS_OF_NBPROF.specs() for name in scripts_of_view(view.script)
    }


def test_the_script_is_a_module_with_the_two_entries() -> None:
    script = (STATIC / "widget.js").read_text()
    assert re.search(r"export\s*\{[^}]*\bas default\b[^}]*\}", script)
    for entry in ("initialize", "render"):
        assert re.search(rf"\b{entry}\b", script)


@pytest.mark.parametrize(
    ("what", "pattern"),
    [
        ("an address to fetch from", r"""(?:https?:)?//(?!www\.w3\.org)[\w-]+\.[\w.-]+/"""),
        ("a request", r"\bfetch\s*\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon"),
        ("an import", r"""\bimport\s*\(|\bimport\s*["'{*]"""),
        ("code made of text", r"\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\("),
        ("markup made of text", r"\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write"),
    ],
)
def test_neither_script_nor_style_holds(what: str, pattern: str) -> None:
    for name in (*SCRIPTS, "widget.css"):
        found = re.search(pattern, (STATIC / name).read_text())
        assert found is None, f"{name} holds {what}: {found and found[0]}"


def test_the_style_outside_the_shadow_root_touches_nothing_else() -> None:
    style = re.sub(r"/\*.*?\*/", "", (STATIC / "widget.css").read_text(), flags=re.DOTALL)
    selectors = [rule.split("{")[0].strip() for rule in style.split("}") if "{" in rule]
    assert selectors
    assert all(selector.startswith((".nbp-", ".nbprof")) for selector in selectors)


def test_the_lock_file_names_no_registry() -> None:
    assert '"resolved"' not in (JS / "package-lock.json").read_text()
