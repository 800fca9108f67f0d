"""No code outside a view's or table's own module branches on its name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from nbprof.tables import TABLES
from nbprof.widgets.views.registry import VIEWS
from tests.house.test_house import PACKAGE
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Files outside the homes of views in which the same words are something else.
NOT_VIEWS = {
    "widgets/hints/waiting_time.py": "tables of the model",
    "widgets/hints/hints.py": "what a trace holds",
    "widgets/hints/run_configuration.py": "options of profilers",
    "cli/info.py": "what a trace holds",
    "cli/__init__.py": "a command",
    "cli/arguments.py": "a command",
}
#: Files in which the names of tables are something else, or those of the only table that differs.
NOT_TABLES = {
    "charts/cards/card_charts.py": "a field of the filter",
    "export/text/cards.py": "a card",
    "widgets/hints/hints.py": "what a trace holds",
    "widgets/state_rules.py": "a field of the filter",
    "widgets/views/memory/memory_selection.py": "within the home of the view",
    "widgets/views/memory/view.py": "within the home of the view",
    "widgets/views/modules/saving.py": "an entry of saved state",
}


def compared_texts(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Give line and text of what code can choose by: comparisons, cases, collections and keys."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            inside = [node.left, *node.comparators]
        elif isinstance(node, ast.Dict):
            inside = [key for key in node.keys if key is not None]
        elif isinstance(node, ast.Tuple | ast.List | ast.Set):
            inside = list(node.elts)
        elif isinstance(node, ast.MatchValue):
            inside = [node.value]
        else:
            continue
        for one in inside:
            if isinstance(one, ast.Constant) and isinstance(one.value, str):
                yield one.lineno, one.value


def chosen_views(place: str) -> list[tuple[int, str]]:
    """List where a file names a view in code that can choose by it."""
    return [found for found in compared_texts(tree_of(PACKAGE / place)) if found[1] in VIEWS]


def test_no_code_chooses_by_the_name_of_a_view() -> None:
    faults = []
    for part in ("widgets", "export", "cli"):
        for path in sorted((PACKAGE / part).rglob("*.py")):
            place = path.relative_to(PACKAGE).as_posix()
            if not place.startswith("widgets/views/") and place not in NOT_VIEWS:
                faults += [f"{place}:{line} {text!r}" for line, text in chosen_views(place)]
    assert faults == []
    assert [place for place in NOT_VIEWS if not chosen_views(place)] == []


def test_no_code_chooses_by_the_name_of_a_table() -> None:
    chosen: dict[str, list[str]] = {}
    for part in ("widgets", "export", "cli", "tables", "charts"):
        for path in sorted((PACKAGE / part).rglob("*.py")):
            compares = (n for n in ast.walk(tree_of(path)) if isinstance(n, ast.Compare))
            texts = {text for one in compares for _, text in compared_texts(one)}
            if found := texts.intersection(TABLES):
                chosen[path.relative_to(PACKAGE).as_posix()] = sorted(found)
    assert {place: names for place, names in chosen.items() if place not in NOT_TABLES} == {}
    assert [place for place in NOT_TABLES if place not in chosen] == []


def test_the_rule_for_names_of_views_sees_a_choice() -> None:
    code = 'if view == "kernels" or view in ("memory", "b"): x = {"timeline": 1}'
    assert {text for _, text in compared_texts(ast.parse(code))} == {
        "kernels",
        "memory",
        "b",
        "timeline",
    }
