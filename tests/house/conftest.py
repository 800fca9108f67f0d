"""Frees the syntax trees of the package's files once the tests of the house have looked at them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.syntax import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="package", autouse=True)
def forget_syntax_trees() -> Iterator[None]:
    """Keep millions of nodes out of every later collection of garbage in this process."""
    yield
    tree_of.cache_clear()
