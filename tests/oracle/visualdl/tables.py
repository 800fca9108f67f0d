"""Figures of VisualDL's operators and kernels beside nbprof's."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nbprof.analysis.kernels.kernels import kernels as kernels_table
from nbprof.analysis.operators.operators import operators
from nbprof.analysis.operators.parts import operator_parts
from nbprof.analysis.operators.phases import operator_phases
from tests.oracle.figures import Figure, get
from tests.oracle.visualdl.overview import SIDES, TIMES, spread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.visualdl.reading import Shown

Row = dict[str, Any]


def operator_figures(shown: Shown) -> Iterator[Figure]:
    """Yield every figure of the view of operators."""
    yield from operator_table(shown, "op_name", "name")
    yield from operator_table(shown, "op_name_input_shape", "name+shape")
    yield from operator_pies(shown)
    yield from phases(shown)


def kernel_figures(shown: Shown) -> Iterator[Figure]:
    """Yield every figure of the view of kernels."""
    if "kernel_table" not in shown.figures:
        yield Figure("kernels", "", "rows", kernels_table(shown.model).num_rows, 0)
        return
    yield from kernels(shown, "kernel_table", "name")
    yield from kernels(shown, "kernel_table_attr", "properties")
    yield from kernel_pies(shown)


def operator_table(shown: Shown, theirs: str, group_by: str) -> Iterator[Figure]:
    """Operators and what is straight inside them."""
    ours = {_key(r): r for r in operators(shown.model, group_by=group_by).to_pylist()}
    parts: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    for row in operator_parts(shown.model, group_by=group_by).to_pylist():
        parts[_key(row)][row["name"]] = row
    said = shown.figures[f"operator_table_{theirs}"]["events"]
    there = {(row["name"], " ".join(row.get("input_shape", ()))): row for row in said}
    table = f"operators by {group_by}"
    for key in sorted({*ours, *there}):
        row, values = ours.get(key), there.get(key, {})
        name = " ".join(part for part in key if part)
        yield Figure(table, name, "calls", get(row, "calls"), values.get("calls"))
        yield from spread(table, name, row, values)
        children = {child["name"]: child for child in values.get("children", ())}
        for part in sorted({*parts[key], *children}):
            one, other = parts[key].get(part), children.get(part, {})
            yield Figure(
                f"{table}: parts",
                f"{name} > {part}",
                "calls",
                get(one, "calls"),
                other.get("calls"),
            )
            yield from spread(f"{table}: parts", f"{name} > {part}", one, other)


def _key(row: Row) -> tuple[str, str]:
    """Return name and shapes as VisualDL writes them: ``x:[[1, 2]] y:[[2]]``."""
    shapes = json.loads(row["input_shapes"]) if row.get("input_shapes") else {}
    name = row["operator"] if "operator" in row else row["name"]
    return name, " ".join(f"{arg}:{dims}" for arg, dims in shapes.items())


def operator_pies(shown: Shown) -> Iterator[Figure]:
    """The five operators with most time; shares are of the time of these."""
    rows = operators(shown.model).to_pylist()
    for stem, side in SIDES.items():
        said = shown.figures["operator_pie_top5"].get(stem)
        if said is None:
            continue
        top = sorted(rows, key=lambda row: -row[f"{side}_total_us"])[: len(said)]
        yield from _pie(f"operators: {side} pie", top, said, f"{side}_")


def phases(shown: Shown) -> Iterator[Figure]:
    """How long the operators with most time were in each phase."""
    ours = {(r["name"], r["phase"]): r for r in operator_phases(shown.model).to_pylist()}
    for stem, side in SIDES.items():
        chart = shown.figures.get(f"operator_pie_expand_{stem}")
        if chart is None:
            continue
        for phase, values in zip(chart["order"], chart["data"], strict=True):
            for name, said in zip(chart["phase_type"], values, strict=True):
                mine = ours[name, phase][f"{side}_us"]
                yield Figure(
                    "operator_phases", f"{name} {phase}", f"{side}_us", mine, said, digits=2
                )


def kernels(shown: Shown, theirs: str, group_by: str) -> Iterator[Figure]:
    """Kernels by name, or by name, operator and launch."""
    ours = {}
    for row in kernels_table(shown.model, group_by=group_by).to_pylist():
        ours[_kernel(row)] = row
    there = {_kernel_there(row): row for row in shown.figures[theirs]["events"]}
    table = f"kernels by {group_by}"
    for key in sorted({*ours, *there}):
        row, said = ours.get(key), there.get(key, {})
        name = " ".join(part for part in key if part)
        yield Figure(table, name, "calls", get(row, "calls"), said.get("calls"))
        used = get(row, "tensor_core_used")
        yield Figure(table, name, "tensor_core_used", used, said.get("tensor core used"))
        for column, title in {
            **{column: title for title, column in TIMES.items()},
            "pct": "ratio",
            "mean_blocks_per_sm": "mean blocks per sm",
            "mean_occupancy_pct": "mean est achieved occupancy",
        }.items():
            yield Figure(table, name, column, get(row, column), said.get(title), digits=2)


def _kernel(row: Row) -> tuple[str, ...]:
    if "grid" not in row:
        return (row["name"],)
    numbers = [row[name].replace(" ", "") for name in ("grid", "block")]
    numbers += [str(row[name]) for name in ("registers", "shared_memory_bytes")]
    return (row["name"], row["operator"] or row["launched_by"], *numbers)


def _kernel_there(row: Row) -> tuple[str, ...]:
    names = ("operator", "grid", "block", "register per thread", "shared memory")
    return (row["name"], *(row[name] for name in names if name in row))


def kernel_pies(shown: Shown) -> Iterator[Figure]:
    """Time of the five longest kernels, and how many launches used tensor cores."""
    rows = kernels_table(shown.model).to_pylist()
    said = shown.figures["kernel_pie_top5"]["events"]
    yield from _pie("kernels: pie", rows[: len(said)], said, "")
    used = sum(row["calls"] for row in rows if row["tensor_core_used"])
    whole = sum(row["calls"] for row in rows)
    for title, count in (("Tensor core used", used), ("Tensor core unused", whole - used)):
        values = next(r for r in shown.figures["kernel_tc_pie_all"]["events"] if r["name"] == title)
        yield Figure("kernels: tensor cores", title, "calls", count, int(values["calls"]))
        share = 100.0 * count / whole
        yield Figure("kernels: tensor cores", title, "pct", share, values["ratio"], digits=2)


def _pie(table: str, ours: list[Row], theirs: list[Row], side: str) -> Iterator[Figure]:
    """Yield the slices of a pie, whose shares are of what is shown."""
    whole = sum(row[f"{side}total_us"] for row in ours)
    mine = {row["name"]: row for row in ours}
    for said in theirs:
        row = mine.get(said["name"])
        yield Figure(table, said["name"], "calls", get(row, "calls"), said["calls"])
        for title, column in TIMES.items():
            yield Figure(
                table, said["name"], column, get(row, f"{side}{column}"), said[title], digits=2
            )
        share = None if row is None else 100.0 * row[f"{side}total_us"] / whole
        yield Figure(table, said["name"], "pct", share, said["ratio"], digits=2)
