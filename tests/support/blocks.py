"""Extracts the code blocks of the documentation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def blocks(page: Path) -> list[tuple[str, str]]:
    """Return language and code of every block that has a language, in order."""
    fenced = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
    return [(found[1], found[2]) for found in fenced.finditer(page.read_text("utf-8"))]
