"""No module imports itself, directly or through others.

Imports inside functions and under `TYPE_CHECKING` count: two modules that need each other's names
are one concept, or one of them lacks a smaller module below both.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tests.house.test_house import ROOT, SOURCES, module_of
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from pathlib import Path

Graph = dict[str, set[str]]


def import_graph(paths: list[Path], root: Path) -> Graph:
    """Return the modules that each module imports by name, wherever in the file."""
    modules = {module_of(path) if root == ROOT else path.stem: path for path in paths}
    graph: Graph = {name: set() for name in modules}
    for name, path in modules.items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                found = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inner = [f"{node.module}.{alias.name}" for alias in node.names]
                found = [one if one in modules else node.module for one in inner]
            else:
                continue
            graph[name] |= {one for one in found if one in modules and one != name}
    return graph


def cycles(graph: Graph) -> list[set[str]]:
    """Return the groups of modules that reach each other."""
    reached = {name: _reached(graph, name) for name in graph}
    groups = {
        frozenset(other for other in reached[name] if name in reached[other])
        for name in graph
        if name in reached[name]
    }
    return sorted(map(set, groups), key=sorted)


def _reached(graph: Graph, name: str) -> set[str]:
    found: set[str] = set()
    ahead = list(graph[name])
    while ahead:
        module = ahead.pop()
        if module not in found:
            found.add(module)
            ahead += graph[module]
    return found


def test_no_modules_import_each_other() -> None:
    assert cycles(import_graph(SOURCES, ROOT)) == []


def test_the_rule_sees_cycles(tmp_path: Path) -> None:
    texts = {
        "a": "import b\n",
        "b": "def f():\n    from c import x\n",
        "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from a import y\n",
        "d": "import a\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text, "utf-8")
    graph = import_graph(sorted(tmp_path.glob("*.py")), tmp_path)
    assert graph == {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    assert cycles(graph) == [{"a", "b", "c"}]
