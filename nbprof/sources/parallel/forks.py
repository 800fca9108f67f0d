"""Runs functions in child processes after a fork, to reset locks and shared state.

A forked child has none of the parent's other threads, but the locks they held stay locked: a child
that acquires one would wait forever.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def in_children(action: Callable[[], None]) -> None:
    """Register a function to be called first in every process forked from now on."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)
