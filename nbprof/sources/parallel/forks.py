"""Processes that are forked from this one, as workers of a pool are on Linux.

Other threads stay behind, with what they were doing and the locks that they held; a child that asks
for those would wait for ever.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def in_children(action: Callable[[], None]) -> None:
    """Call a function in every process that is forked from now on, before anything else there."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=action)
