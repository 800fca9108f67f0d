"""The syntax trees of the package's files, parsed once per process."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file; callers must not change it."""
    return ast.parse(path.read_text("utf-8"))
