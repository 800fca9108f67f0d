"""No code outside the home of a view chooses by its name."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from nbprof.widgets.views.registry import VIEWS
from tests.house.test_house import PACKAGE
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Files outside the homes of views in which the same words are something else.
NOT_VIEWS = {
    "widgets/hints/waiting_time.py": "tables of the model",
    "widgets/requests/tables.py": "tables",
    "widgets/hints/hints.py": "what a trace holds",
    "widgets/hints/hint_texts.py": "what a trace holds",
    "widgets/hints/empty_tables.py": "what a trace holds",
    "widgets/hints/run_configuration.py": "options of profilers",
    "widgets/views/groupings.py": "tables",
    "widgets/saved/page_parts.py": "tables",
    "widgets/saved/tables.py": "tables",
    "export/summary_tables.py": "tables",
    "cli/info.py": "what a trace holds",
    "cli/table.py": "tables",
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


def test_no_code_chooses_by_the_name_of_a_view() -> None:
    faults = []
    for part in ("widgets", "export", "cli"):
        for path in sorted((PACKAGE / part).rglob("*.py")):
            place = path.relative_to(PACKAGE).as_posix()
            is_home = place.startswith("widgets/views/") and place not in NOT_VIEWS
            if is_home or place in NOT_VIEWS:
                continue
            texts = compared_texts(tree_of(path))
            faults += [f"{place}:{line} {text!r}" for line, text in texts if text in VIEWS]
    assert faults == []


def test_the_rule_for_names_of_views_sees_a_choice() -> None:
    code = 'if view == "kernels" or view in ("memory", "b"): x = {"timeline": 1}'
    assert {text for _, text in compared_texts(ast.parse(code))} == {
        "kernels",
        "memory",
        "b",
        "timeline",
    }
