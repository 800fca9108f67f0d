"""The folders of the browser side: a view is known in its home, and nowhere else by its name."""

from __future__ import annotations

import re

import pytest

from nbprof.widgets.views.registry import VIEWS
from tests.conftest import ROOT

SOURCES = ROOT / "js" / "src"

#: Where the name of a view is that of something else.
EXEMPT = {
    "core/messages.ts": "generated; operations and what a trace can lack are called alike",
    "core/snapshot.ts": "the entries of a snapshot",
    "core/session.ts": "the entry `timeline` of a snapshot",
    "offline/memory.ts": "the entry `memory` of a snapshot",
    "offline/memorycharts.ts": "the entry `memory` of a snapshot, and its figure",
    "offline/asked.ts": "a table",
    "offline/pages.ts": "tables",
    "offline/tables/filter.ts": "tables",
    "offline/tables/windows.ts": "a figure of a step",
    "table/columns.ts": "a column",
    "views/memory/panel.ts": "groupings, and a noun",
    "views/distributed/panel.ts": "a noun",
    "views/modules/flame.ts": "what a trace can lack",
}


@pytest.mark.parametrize("view", VIEWS.names())
def test_a_view_has_a_home(view: str) -> None:
    assert (SOURCES / "views" / view / "index.ts").is_file()


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


def test_every_exemption_is_needed() -> None:
    named = re.compile("|".join(rf"""["'`]{view}["'`]""" for view in VIEWS))
    assert [name for name in EXEMPT if not named.search((SOURCES / name).read_text("utf-8"))] == []


def test_no_view_imports_from_another() -> None:
    found = [
        f"{path.relative_to(SOURCES)}: {target}"
        for path in (SOURCES / "views").rglob("*.ts")
        for target in re.findall(r"""from "(\.[^"]+)\"""", path.read_text("utf-8"))
        if (there := (path.parent / target).resolve()).is_relative_to(SOURCES / "views")
        and there.relative_to(SOURCES).parts[1] != path.relative_to(SOURCES).parts[1]
    ]
    assert found == []
