"""The built browser side that is committed: there, small, without a network, and up to date."""

from __future__ import annotations

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from nbprof.export.scripts import OFFLINE, ScriptError, compressed, script, view_scripts
from nbprof.widgets.requests.protocol import VIEWS as VIEW_NAMES

ROOT = Path(__file__).resolve().parents[1]
STATIC = ROOT / "nbprof" / "static"
JS = ROOT / "js"
VIEWS = tuple(f"views/{name}.js" for name in view_scripts())
SCRIPTS = ("widget.js", "offline.js", *VIEWS)
FILES = (*SCRIPTS, "page.js", "widget.css", "THIRD_PARTY_LICENSES.txt")

#: Every model carries the core; saved notebooks and pages carry the scripts of what they show.
BUDGETS = {
    "widget.js": 170_000,
    "offline.js": 56_000,
    "page.js": 4_000,
    **dict.fromkeys(VIEWS, 100_000),
}

#: What the scripts of all views, and the one that answers, take in a saved notebook.
SAVED_BYTES = 400_000


def node() -> str:
    """Return where Node is, or skip the test that asks."""
    found = shutil.which("node")
    if found is None:
        pytest.skip("Node.js is not on PATH, so the browser side is taken as it was built")
    if not (JS / "node_modules").is_dir():
        pytest.skip("js/node_modules is not there; `npm ci` in js/ installs it")
    return found


@pytest.mark.parametrize("name", FILES)
def test_the_bundle_is_committed(name: str) -> None:
    assert (STATIC / name).stat().st_size > 0
    assert "generated" in (ROOT / ".gitattributes").read_text()


@pytest.mark.parametrize("name", BUDGETS)
def test_a_script_is_within_its_budget(name: str) -> None:
    assert (STATIC / name).stat().st_size <= BUDGETS[name]


def test_a_saved_notebook_has_room_for_all_scripts() -> None:
    names = (OFFLINE, *view_scripts())
    assert sum(len(compressed(name)) for name in names) <= SAVED_BYTES


def test_every_view_has_a_script() -> None:
    assert set(view_scripts()) == set(VIEW_NAMES)
    with pytest.raises(ScriptError, match="There is no script"):
        script("../widget")


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


def test_building_again_gives_the_same_bytes(tmp_path: Path) -> None:
    command = [node(), str(JS / "build.mjs"), "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    for name in FILES:
        built, committed = ((folder / name).read_bytes() for folder in (tmp_path, STATIC))
        # Hashes, because a difference of two such files takes minutes to print.
        assert hashlib.sha256(built).digest() == hashlib.sha256(committed).digest(), (
            f"{name} is out of date; `npm run build` in js/ writes it"
        )


def test_the_unit_tests_of_the_browser_side_pass() -> None:
    vitest = JS / "node_modules" / "vitest" / "vitest.mjs"
    command = [node(), str(vitest), "run", "--reporter=dot"]
    done = subprocess.run(command, cwd=JS, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
