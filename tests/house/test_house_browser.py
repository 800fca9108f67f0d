"""The folders of the browser side: a view's name appears only in its own folder."""

from __future__ import annotations

import re
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import pytest

from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS
from nbprof.widgets.views.spec import GENERIC_SCRIPT
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = ROOT / "js" / "src"

#: Where the name of a view is that of something else.
EXEMPT = {
    "core/protocol/messages.ts": "generated; operations and what a trace can lack are called alike",
    "core/saved/savedstate.ts": "the entries of saved state",
    "views/modules/looks.ts": "a column",
    "offline/names.ts": "tables whose rows have names",
    "views/overview/offlinesteps.ts": "a figure of a step",
    "views/memory/panel.ts": "groupings, and a noun",
    "views/distributed/panel.ts": "a noun",
    "views/modules/flame.ts": "what a trace can lack",
}


@pytest.mark.parametrize("view", VIEWS.names())
def test_a_view_has_a_home(view: str) -> None:
    """A view has a folder of its own, or is drawn by the generic panel."""
    folder = view if VIEWS[view].script != GENERIC_SCRIPT else GENERIC_SCRIPT
    assert (SOURCES / "views" / folder / "index.ts").is_file()


def test_the_generic_panel_has_a_home() -> None:
    assert GENERIC_SCRIPT not in VIEWS
    folder = SOURCES / "views" / GENERIC_SCRIPT
    assert all((folder / name).is_file() for name in ("index.ts", "offline.ts"))


@pytest.mark.parametrize("view", VIEWS.names())
def test_nothing_is_chosen_by_the_name_of_a_view(view: str) -> None:
    named = re.compile(rf"""["'`]{view}["'`]""")
    found = [
        name
        for path in SOURCES.rglob("*.ts")
        if not (name := path.relative_to(SOURCES).as_posix()).startswith(f"views/{view}/")
        and name not in EXEMPT
        and named.search(path.read_text("utf-8"))
    ]
    assert found == []


#: Names of tables in the code that answers without Python, where they mean something else.
NOT_TABLES = {
    "offline/charts/donut.ts": "slices of a donut",
    "offline/charts/rows.ts": "slices of a donut",
    "offline/charts/steps/steps.ts": "a figure",
}


def test_answers_without_python_know_no_table_by_name() -> None:
    tables = "|".join(TABLES)
    named = re.compile(rf"""(?<!\[)["'`]({tables})["'`]|^ *({tables}): ["'`]""", re.MULTILINE)
    files = {
        path.relative_to(SOURCES).as_posix(): path.read_text("utf-8")
        for path in (SOURCES / "offline").rglob("*.ts")
    }
    assert {name for name, text in files.items() if named.search(text)} == set(NOT_TABLES)


def test_every_exemption_is_needed() -> None:
    named = re.compile("|".join(rf"""["'`]{view}["'`]""" for view in VIEWS))
    assert [name for name in EXEMPT if not named.search((SOURCES / name).read_text("utf-8"))] == []


def _imports(path: Path) -> list[Path]:
    """Return the modules that a module imports, types included."""
    targets = re.findall(r"""(?:from|import\(?) ?"(\.[^"]+)\"""", path.read_text("utf-8"))
    there = [(path.parent / target).resolve() for target in targets if not target.endswith(".css")]
    return [folder / "index.ts" if folder.is_dir() else _file(folder) for folder in there]


def _file(module: Path) -> Path:
    return module.with_name(f"{module.name}.ts")


def test_no_view_imports_from_another_nor_the_core_from_any() -> None:
    found = [
        f"{path.relative_to(SOURCES)}: {target.relative_to(SOURCES)}"
        for path in SOURCES.rglob("*.ts")
        if not path.is_relative_to(SOURCES / "offline")
        for target in _imports(path)
        if target.is_relative_to(SOURCES / "views")
        and target.relative_to(SOURCES).parts[:2] != path.relative_to(SOURCES).parts[:2]
    ]
    assert found == []


def test_imports_make_no_cycle() -> None:
    imports = {path: _imports(path) for path in SOURCES.rglob("*.ts")}
    assert [target for found in imports.values() for target in found if not target.is_file()] == []
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        cycle = [path.relative_to(SOURCES).as_posix() for path in error.args[1]]
        pytest.fail(f"a cycle of imports: {' <- '.join(cycle)}")
