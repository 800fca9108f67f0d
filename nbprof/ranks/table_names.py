"""The names of the three distributed tables, for code that must not import the tables."""

from __future__ import annotations

from typing import Final

#: The three tables by name, with their attribute of `Distributed`.
DISTRIBUTED: Final = {
    "distributed_overview": "overview",
    "distributed_wait": "wait",
    "distributed_ops": "ops",
}
