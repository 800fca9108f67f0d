"""The module view of the TensorBoard plugin beside nbprof's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.analysis.modules.modules import modules as modules_table
from tests.oracle.figures import Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.figures import Row
    from tests.oracle.traces import Oracle

COLUMNS = {
    "occurences": "occurrences",  # spelled so there
    "operators": "operators",
    "host_duration": "host_total_us",
    "self_host_duration": "host_self_us",
    "device_duration": "device_total_us",
    "self_device_duration": "device_self_us",
}


def modules(oracle: Oracle) -> Iterator[Figure]:
    """Figures of every module under every other that it is called by; a missing row is absent."""
    view = oracle.figures.get("module")
    theirs = dict(_flat(view["data"] if view else [], ""))
    ours: dict[str, Row] = {}
    paths: dict[int | None, str] = {None: ""}
    for row in modules_table(oracle.model).to_pylist():
        paths[row["module_id"]] = f"{paths[row['parent_id']]}/{row['name']}"
        ours[paths[row["module_id"]]] = row
    for path in sorted({*ours, *theirs}):
        row, figures = ours.get(path), theirs.get(path)
        if row is None or figures is None:
            yield Figure("modules", path, "row", row is not None, figures is not None)
            continue
        # Names alone are told apart by their ends, and keys are cut there.
        key = path if len(path) < 60 else f"…{path[-58:]}"
        slack = 2 * _summands(figures) * oracle.step_us
        for name, column in COLUMNS.items():
            if row[column] is None and figures[name] == 0:
                continue  # no device in the trace: null here, 0 there
            allowed = slack if column.endswith("_us") else 0.0
            yield Figure("modules", key, column, row[column], figures[name], slack=allowed)


def _summands(row: dict[str, Any]) -> int:
    """Return how many times the figures of a module are at least made of."""
    own: int = row["occurences"] + row["operators"]
    return own + sum(_summands(child) for child in row.get("children", []))


def _flat(rows: list[dict[str, Any]], above: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for row in rows:
        path = f"{above}/{row['name']}"
        yield path, row
        yield from _flat(row.get("children", []), path)
