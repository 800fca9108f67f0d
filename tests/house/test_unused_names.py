"""No export without an import, and no function without a caller."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

from tests.conftest import ROOT
from tests.house.test_house import GENERATED, SOURCES, module_of
from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SCRIPTS = [
    *(path for part in ("src", "tests", "dev") for path in (ROOT / "js" / part).rglob("*.[jt]s")),
    *(ROOT / "tests" / "support").rglob("*.mjs"),
]
_EXPORT = re.compile(
    r"^export (?:abstract |async )*(?:function\*?|class|const|let|interface|type|enum) (\w+)",
    re.MULTILINE,
)
_IMPORT = re.compile(
    r"(?:import|export)\s+(?:type\s+)?(?:\w+,\s*)?\{([^}]*)\}\s*from"
    r"|const \{([^}]*)\} = await import"
)
#: Called by Python itself, where a module is asked for a name.
_CALLED_BY_PYTHON = {"load_ipython_extension", "__getattr__", "__dir__"}


def imported_names(text: str) -> set[str]:
    """Return the names that a script imports from others, types included."""
    lists = [one or other for one, other in _IMPORT.findall(text)]
    names = [name.strip().removeprefix("type ") for text in lists for name in text.split(",")]
    every = {re.split(r" as |:", name)[0] for name in names}
    for module in re.findall(r"import \* as (\w+) from", text):
        every |= set(re.findall(rf"\b{module}\.(\w+)", text))
    return every


def test_every_export_is_imported() -> None:
    texts = {path: path.read_text("utf-8") for path in SCRIPTS}
    used = {name for text in texts.values() for name in imported_names(text)}
    unused = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in texts.items()
        if path.is_relative_to(ROOT / "js" / "src") and path.name != GENERATED
        for name in _EXPORT.findall(text)
        if name not in used
    ]
    assert unused == []


def test_the_rule_sees_imports() -> None:
    text = 'import a, { type B, c as d } from "./x";\nconst { e: f } = await import("./y");\n'
    assert imported_names(text) == {"B", "c", "e"}
    assert _EXPORT.findall("export async function g() {}\nconst h = 1;\n") == ["g"]


class _Uses:
    """What files import from modules, and the attributes and references in texts that they have."""

    def __init__(self, paths: Iterable[Path]) -> None:
        self.imported: dict[tuple[str, str], int] = defaultdict(int)
        self.names: set[str] = set()
        for path in paths:
            for node in ast.walk(tree_of(path)):
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        self.imported[node.module or "", alias.name] += 1
                elif isinstance(node, ast.Attribute):
                    self.names.add(node.attr)
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    self.names |= set(re.findall(r"^(?:[\w.]+:)?(\w+)$", node.value))

    def has(self, module: str, name: str) -> bool:
        """Return whether a function of a module is used in these files; rather too often yes."""
        return bool(self.imported.get((module, name))) or name in self.names


@cache
def _in_the_package() -> _Uses:
    return _Uses(SOURCES)


@cache
def _texts_elsewhere() -> dict[Path, str]:
    folders = (ROOT / name for name in ("tests", "benchmarks", "docs", "js/dev", "samples"))
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    paths += (ROOT / "js").glob("*.py")  # not the thousands in node_modules
    return {path: path.read_text("utf-8") for path in paths}


@cache
def _is_used_elsewhere(module: str, name: str) -> bool:
    """Return whether tests, benchmarks or scripts use a function; parse only files that name it."""
    return any(
        _Uses([path]).has(module, name) for path, text in _texts_elsewhere().items() if name in text
    )


def unused_functions(path: Path) -> tuple[list[str], list[str]]:
    """Return the functions of a file that nothing uses, and the public ones that only it uses."""
    tree, module = tree_of(path), module_of(path)
    own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    inside = {name for name in functions if not _in_the_package().has(module, name)}
    dead = inside - own - _CALLED_BY_PYTHON
    private = {name for name in inside & own if not name.startswith("_")}
    return sorted(dead), sorted(name for name in private if not _is_used_elsewhere(module, name))


def test_every_function_is_used() -> None:
    found = {module_of(path): unused_functions(path) for path in SOURCES}
    assert {module: dead for module, (dead, _) in found.items() if dead} == {}


def test_functions_that_only_their_module_uses_are_private() -> None:
    found = {module_of(path): unused_functions(path) for path in SOURCES}
    assert {module: private for module, (_, private) in found.items() if private} == {}
