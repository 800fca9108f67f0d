"""Figures of VisualDL's overview beside nbprof's, card by card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.analysis.devices.device_summary import device_summary
from nbprof.analysis.operators.user_events import user_events as user_events_table
from nbprof.analysis.steps.event_types import events as events_table
from nbprof.analysis.steps.stage_summary import stage_summary as stage_summary_table
from nbprof.analysis.steps.stages import stages as stages_table
from tests.oracle.figures import Figure, get

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.visualdl.reading import Shown

#: What we call stages that have another name there.
OURS = {"ProfileStep": "Step", "Dataloader": "DataLoader"}
SIDES = {"cpu": "host", "gpu": "device"}
TIMES = {
    "total_time": "total_us",
    "avg_time": "mean_us",
    "max_time": "max_us",
    "min_time": "min_us",
}


def overview_figures(shown: Shown) -> Iterator[Figure]:
    """Yield every figure of the seven cards."""
    yield from devices(shown)
    yield from stage_summary(shown)
    yield from stages(shown)
    yield from events(shown)
    yield from event_times(shown)
    yield from user_events(shown)


def devices(shown: Shown) -> Iterator[Figure]:
    """Configuration and device summary."""
    theirs = shown.figures["device_infos"]
    rows = device_summary(shown.model).to_pylist()
    cpu, *others = rows
    kind = str(shown.model.metadata["device_type"]).upper()
    yield Figure("configuration", "", "device_type", kind, theirs["device_type"])
    for stem in ("process", "system"):
        said = theirs["CPU"][f"{stem}_utilization"]
        column = f"{stem}_cpu_pct"
        yield Figure("device_summary", "CPU", column, cpu[column], said, digits=2)
    row = next(iter(others), None)
    yield Figure("device_summary", "GPU", "there", row is not None, "GPU" in theirs)
    if row is None:
        return
    for column, name in {
        "utilization_pct": "utilization",
        "sm_efficiency_pct": "sm_efficiency",
        "occupancy_pct": "achieved_occupancy",
        "tensor_core_pct": "tensor_core_percentage",
    }.items():
        yield Figure("device_summary", "GPU", column, row[column], theirs["GPU"][name], digits=2)
    memory = f"{row['memory_gb']:.2f} GB"
    for column, said in (
        ("name", row["name"]),
        ("memory", memory),
        ("compute_capability", row["compute_capability"]),
    ):
        yield Figure("device_summary", "GPU", column, said, theirs["GPU"][column])


def stage_summary(shown: Shown) -> Iterator[Figure]:
    """Execution summary, as a table for each side."""
    ours = {row["stage"]: row for row in stage_summary_table(shown.model).to_pylist()}
    for theirs, side in SIDES.items():
        found = {
            OURS.get(r["name"], r["name"]): r
            for r in shown.figures["model_perspective"].get(theirs, ())
        }
        if not found:
            yield Figure("stage_summary", "Step", side, ours["Step"][f"{side}_calls"], None)
            continue
        for stage, row in ours.items():
            columns = {"calls": "calls", "ratio": "pct", **TIMES}
            for name, stem in columns.items():
                column = f"{side}_{stem}"
                value = found[stage][name] if stage in found else None
                yield Figure("stage_summary", stage, column, row[column], value, digits=2)


def stages(shown: Shown) -> Iterator[Figure]:
    """Execution time breakdown: each stage of each step."""
    ours = {(r["step"], r["stage"]): r for r in stages_table(shown.model).to_pylist()}
    for theirs, side in SIDES.items():
        chart = shown.figures.get(f"model_perspective_perstep_{theirs}")
        values = {} if chart is None else _cells(chart, chart["steps"])
        for (step, stage), row in ours.items():
            said = values.get((step, stage))
            yield Figure(
                "stages", f"{step} {stage}", f"{side}_us", row[f"{side}_us"], said, digits=2
            )


def events(shown: Shown) -> Iterator[Figure]:
    """Event summary: calls, duration and share of each type by stage."""
    ours = {
        (r["side"], r["event_type"], r["stage"]): r for r in events_table(shown.model).to_pylist()
    }
    names = {"calling_times": "calls", "durations": "duration_us", "ratios": "pct"}
    values: dict[tuple[str, str, str], dict[str, Any]] = {}
    for theirs, side in SIDES.items():
        for kind, charts in shown.figures.get(f"event_type_perspective_{theirs}", {}).items():
            for name, chart in charts.items() if kind != "order" else ():
                for stage, value in zip(chart["key"], chart["value"], strict=True):
                    row = values.setdefault((side, kind, OURS.get(stage, stage)), {})
                    row[names[name]] = value
    for key in sorted({*ours, *values}):
        for column in names.values():
            said = values.get(key, {}).get(column)
            mine = get(ours.get(key), column)
            yield Figure("events", " ".join(key), column, mine, said, digits=2)


def event_times(shown: Shown) -> Iterator[Figure]:
    """Event time breakdown: types by stage, and of the step the sum of its stages."""
    chart = shown.figures["event_type_model_perspective"]
    ours: dict[tuple[str, str], float] = {}
    for row in events_table(shown.model).to_pylist():
        for stage in ("Step", row["stage"]):
            key = stage, row["event_type"]
            ours[key] = ours.get(key, 0.0) + row["duration_us"]
    for kind, values in zip(chart["order"], chart["data"], strict=True):
        for stage, said in zip(chart["phase_type"], values, strict=True):
            mine = ours.get((OURS.get(stage, stage), kind), 0.0)
            yield Figure("event times", f"{kind} {stage}", "duration_us", mine, said, digits=2)


def user_events(shown: Shown) -> Iterator[Figure]:
    """User-defined summary."""
    ours = {row["name"]: row for row in user_events_table(shown.model).to_pylist()}
    theirs = {row["name"]: row for row in shown.figures["userdefined_perspective"]["events"]}
    for name in sorted({*ours, *theirs}):
        row, said = ours.get(name), theirs.get(name, {})
        yield Figure("user_events", name, "calls", get(row, "calls"), said.get("calls"))
        yield from spread("user_events", name, row, said)


def spread(table: str, key: str, ours: Any, theirs: dict[str, Any]) -> Iterator[Figure]:
    """Yield times and shares of both sides of a row."""
    for prefix, side in SIDES.items():
        for name, stem in {"ratio": "pct", **TIMES}.items():
            column = f"{side}_{stem}"
            mine, said = get(ours, column), theirs.get(f"{prefix}_{name}")
            # what cannot be divided, and devices that there are not, are 0 there and null here
            said = None if mine is None and said == 0 else said
            yield Figure(table, key, column, mine, said, digits=2)


def _cells(chart: dict[str, Any], across: list[Any]) -> dict[tuple[Any, str], float]:
    return {
        (at, OURS.get(stage, stage)): value
        for stage, values in zip(chart["order"], chart["data"], strict=True)
        for at, value in zip(across, values, strict=True)
    }
