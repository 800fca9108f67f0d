"""Differences between two runs: steps, operators, kernels, modules, memory, and a gate.

A side is a trace, or the mean over several workers. If both sides have steps, all figures are
medians over complete steps, so that recordings of different length compare; the spread over steps
tells which differences are noise. Importing this package imports none of the tables.

Rows of flat tables (operators, kernels, …) belong together if they have the same key. Call trees
have no keys that survive an insertion, so their levels are aligned as sequences (`trees`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.registry import Registry

if TYPE_CHECKING:
    from nbprof.diffs.spec import DiffTableSpec

__all__ = ["DIFF_TABLES"]

#: All tables of a difference, in the order of the documentation.
DIFF_TABLES: Final[Registry[DiffTableSpec]] = Registry(
    "table of differences",
    "nbprof.diff_tables",
    "nbprof.diffs.spec:DiffTableSpec",
    {
        "steps": "nbprof.diffs.figures.steps:TABLE",
        "categories": "nbprof.diffs.figures.categories:TABLE",
        "waterfall": "nbprof.diffs.figures.waterfall:TABLE",
        "operators": "nbprof.diffs.figures.operators:TABLE",
        "kernels": "nbprof.diffs.figures.kernels:TABLE",
        "tree": "nbprof.diffs.trees.tree:TABLE",
        "modules": "nbprof.diffs.trees.modules:TABLE",
        "collectives": "nbprof.diffs.figures.collectives:TABLE",
        "memory": "nbprof.diffs.figures.memory:MEMORY_TABLE",
        "memory_holders": "nbprof.diffs.figures.memory:HOLDERS_TABLE",
        "launches": "nbprof.diffs.figures.launches:TABLE",
        "idle": "nbprof.diffs.figures.idle:TABLE",
    },
)
