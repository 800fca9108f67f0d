"""Stages, events and parts of operators computed with plain loops over nanoseconds."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from nbprof.model.filters import selection
from tests.analysis import slow

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

STAGES = ("DataLoader", "Forward", "Backward", "Optimization", "Other")
BATCHES = ("Prefill", "Decode", "Mixed")
PRIORITY = ("DataLoader", "Optimization", "Backward", *BATCHES, "Forward")
#: What the labels in generated traces say of their batches.
LABELS = {
    "execute_context_2(37)_generation_0(0)": "Prefill",
    "execute_context_0(0)_generation_4(4)": "Decode",
    "execute_context_1(5)_generation_4(4)": "Mixed",
}
ENGINE = "autograd::engine::eval"
FIRST_GRADIENT = "aten::ones_like"
OF_TYPE = {
    "Dataloader": "DataLoader",
    "Forward": "Forward",
    "Backward": "Backward",
    "Optimization": "Optimization",
}


def types_of(model: TraceModel) -> list[str]:
    found: list[str] = model.tables["host_types"].column("event_type").to_pylist()
    return found


def ancestors(model: TraceModel, index: int) -> list[int]:
    found, above = [], int(model.nesting.parent[index])
    while above >= 0:
        found.append(above)
        above = int(model.nesting.parent[above])
    return found


def is_inference(model: TraceModel) -> bool:
    """Whether operators were recorded, and nothing of a backward pass or an optimizer."""
    host = slow.rows_of(model, "host")
    if any(types_of(model)) or not any(row.kind == "operator" for row in host):
        return False
    said = [row.name for row in host if row.kind in ("operator", "annotation", "step")]
    return not any("autograd" in name or name.startswith("Optimizer.") for name in said)


def stages_of(model: TraceModel) -> tuple[str, ...]:
    """Return the stages that the tables have rows of."""
    if not is_inference(model):
        return STAGES
    labelled = any(
        row.name in LABELS and row.kind in ("annotation", "step")
        for row in slow.rows_of(model, "host")
    )
    return ("DataLoader", *(BATCHES if labelled else ()), "Forward", "Other")


def stage_rows(model: TraceModel) -> dict[str, list[slow.Row]]:
    """Return the host rows of each stage but Other."""
    host = slow.rows_of(model, "host")
    is_paddle = bool(types_of(model))
    return (_of_paddle if is_paddle else _of_torch)(model, host)


def _of_paddle(model: TraceModel, host: list[slow.Row]) -> dict[str, list[slow.Row]]:
    types, found = types_of(model), defaultdict(list)
    first = [row for row in host if types[row.index] == "Forward"]
    for row in host:
        if types[row.index] not in OF_TYPE:
            continue
        round_it = [
            types[i]
            for i in ancestors(model, row.index)
            if types[i] in OF_TYPE or types[i] == "ProfileStep"
        ]
        if model.steps.recorded and round_it[:1] == ["ProfileStep"]:
            found[OF_TYPE[types[row.index]]].append(row)
        if not model.steps.recorded and not round_it:
            found[OF_TYPE[types[row.index]]].append(row)
    if not model.steps.recorded:
        outermost = [row for rows in found.values() for row in rows]
        start = min(first or outermost, key=lambda r: (r.start, r.index), default=None)
        for stage, rows in found.items():
            assert start is not None
            found[stage] = [r for r in rows if r.more["thread"] == start.more["thread"]]
    return found


def _of_torch(model: TraceModel, host: list[slow.Row]) -> dict[str, list[slow.Row]]:
    found = defaultdict(list)
    ranges = [row for row in host if row.kind in ("operator", "annotation")]
    found["DataLoader"] = [row for row in ranges if slow.is_loader(row)]
    inference = is_inference(model)
    if inference:
        labels = [row for row in host if row.kind in ("annotation", "step") and row.name in LABELS]
        inside = {row.index for row in labels}
        for row in labels:
            if not inside.intersection(ancestors(model, row.index)):
                found[LABELS[row.name]].append(row)
    top = [
        row
        for row in host
        if slow.is_operator(row)
        and not any(slow.is_operator(host[i]) for i in ancestors(model, row.index))
    ]
    steps = sorted((row for row in host if row.kind == "step"), key=lambda row: row.start)

    def is_here(row: slow.Row) -> bool:
        """Whether a row is on the thread of the step it is in, or of the next one."""
        last = [step for step in steps if step.start <= row.start][-1:]
        if not last or row.start >= last[0].end:
            last = [step for step in steps if step.start > row.start][:1] or steps[-1:]
        return not last or last[0].more["thread"] == row.more["thread"]

    found["Forward"] = [row for row in top if is_here(row) and not row.name.startswith(ENGINE)]
    if not inference:
        _of_training(model, found, ranges, [row for row in top if not is_here(row)], is_here)
    return found


def _of_training(
    model: TraceModel,
    found: dict[str, list[slow.Row]],
    ranges: list[slow.Row],
    elsewhere: list[slow.Row],
    is_here: Callable[[slow.Row], bool],
) -> None:
    """Add the stages of training, and what an optimizer's step does beside its closure."""
    engine = [row for row in ranges if row.name.startswith(ENGINE)]
    is_engine = {row.index for row in engine}
    backward = engine or elsewhere

    def holds(row: slow.Row, others: list[slow.Row]) -> bool:
        return any(row.start <= other.start < row.end for other in others)

    found["Closure"] = [
        row
        for row in ranges
        if row.name.startswith("Optimizer.step#")
        and is_here(row)
        and not is_engine.intersection(ancestors(model, row.index))
        and holds(row, engine)
    ]
    closures = {row.index: row for row in found["Closure"]}

    def closure_of(row: slow.Row) -> slow.Row | None:
        return next((closures[i] for i in ancestors(model, row.index) if i in closures), None)

    names = ("Optimizer.step#", "Optimizer.zero_grad#")
    optimizer = [row for row in ranges if row.name.startswith(names) and row.index not in closures]
    found["Optimization"] = list(optimizer)
    forward = []
    for row in found["Forward"]:
        around = closure_of(row)
        if precedes_update(model, row, backward, optimizer):
            found["Optimization"].append(row)
        elif not around or row.start < max(b.end for b in backward if b.start < around.end):
            forward.append(row)
    found["Forward"], found["Backward"] = list(forward), list(backward)
    for row in ranges:
        is_label = row.kind == "annotation" and not row.name.startswith(("Opt", "enum"))
        if is_label and closure_of(row):
            of_thread = [f for f in forward if f.more["thread"] == row.more["thread"]]
            inside = [f for f in of_thread if f.index > row.index and f.name != FIRST_GRADIENT]
            held = holds(row, inside), holds(row, backward)
            if any(held) and not all(held):
                found["Forward" if held[0] else "Backward"].append(row)


def precedes_update(
    model: TraceModel, row: slow.Row, backward: list[slow.Row], optimizer: list[slow.Row]
) -> bool:
    """Whether an operator is between a backward pass and the optimizer in one step."""
    step = step_at(model, row.start)
    low, high = int(model.steps.host_start_ns[step]), int(model.steps.host_end_ns[step])
    before = sorted((o for o in backward if o.start < row.start), key=lambda o: o.start)
    if step < 0 or not before or before[-1].start < low or row.start < max(o.end for o in before):
        return False
    later = [other.start for other in backward if other.start >= row.start]
    for other in optimizer:
        until = other.start + 1 if "step" in other.name else high
        if row.start <= other.start < high and not any(start < until for start in later):
            return True
    return False


def stage_at(model: TraceModel, moment: int) -> str:
    rows = stage_rows(model)
    for stage in PRIORITY:
        if any(moment in row.moments for row in rows[stage]):
            return stage
    in_closure = any(moment in row.moments for row in rows["Closure"])
    return "Optimization" if in_closure else "Other"


def step_at(model: TraceModel, moment: int) -> int:
    """Return the index of the step that a moment on the host is in, -1 for none."""
    steps = model.steps
    found = -1
    for index, start in enumerate(steps.host_start_ns.tolist()):
        if start <= moment:
            found = index
    inside = found >= 0 and moment < int(steps.host_end_ns[found])
    return found if inside else -1


def windows(model: TraceModel, filter_: Filter) -> dict[int, tuple[int, int]]:
    """Return the range of each step in the filter's range, by its index."""
    steps, found = model.steps, {}
    for index, number in enumerate(steps.number.tolist()):
        low, high = int(steps.host_start_ns[index]), int(steps.host_end_ns[index])
        if filter_.steps and not filter_.steps[0] <= number <= filter_.steps[1]:
            continue
        if filter_.time_us:
            start, end = (round(t * 1000) for t in filter_.time_us)
            if max(low, start) >= min(high, end) and not (low == high and start <= low < end):
                continue
            low, high = max(low, start), min(high, end)
        found[index] = (low, high)
    return found


def stages(model: TraceModel, filter_: Filter) -> dict[tuple[int, str], int]:
    """Return the host time of each stage by index of the step."""
    kept = selection.host_rows(model, slow.without_range(filter_).replace(devices=None))
    rows = stage_rows(model)
    moments: dict[str, set[int]] = {}
    for stage in (*PRIORITY, "Closure"):
        own = [row.moments for row in rows[stage] if kept[row.index]]
        moments[stage] = set().union(*own) - set().union(*moments.values())
    moments["Optimization"] |= moments.pop("Closure")
    found = {}
    for step, (low, high) in windows(model, filter_).items():
        window = set(range(low, high))
        for stage in stages_of(model)[:-1]:
            found[step, stage] = len(moments[stage] & window)
        found[step, "Other"] = len(window - set().union(*moments.values()))
    return found


def source_of(model: TraceModel, row: slow.Row) -> int:
    launch, operator = model.links.launch[row.index], model.links.operator[row.index]
    return int(launch if launch >= 0 else operator)


def launched(model: TraceModel, filter_: Filter) -> list[tuple[int, str, slow.Row]]:
    """Return step, stage and row of the device work that stages launched."""
    kept = selection.device_rows(model, filter_)
    host = slow.rows_of(model, "host")
    found = []
    for row in slow.rows_of(model, "device"):
        source = source_of(model, row)
        if row.kind not in slow.WORK or not kept[row.index] or source < 0:
            continue
        step = step_at(model, host[source].start)
        if step >= 0:
            found.append((step, stage_at(model, host[source].start), row))
    return found


def events(model: TraceModel, filter_: Filter) -> dict[tuple[str, str, str], list[set[int]]]:
    """Return the moments of every event by side, type and stage."""
    found: dict[tuple[str, str, str], list[set[int]]] = defaultdict(list)
    kept = selection.host_rows(model, filter_)
    types = types_of(model)
    for row in slow.rows_of(model, "host"):
        if not kept[row.index] or step_at(model, row.start) < 0:
            continue
        name = types[row.index] if types else row.kind
        if name in (*OF_TYPE, "ProfileStep", "UserDefined", "step", "python"):
            continue
        name = "UserDefined" if name == "PythonUserDefined" else name
        found["host", name, stage_at(model, row.start)].append(row.moments)
    for _, stage, row in launched(model, filter_):
        found["device", row.kind.title() if types else row.kind, stage].append(row.moments)
    return found


def under(model: TraceModel, row: slow.Row, counted: list[bool]) -> int:
    """Return the time of the device work launched from inside a host row."""
    return sum(
        work.duration
        for work in slow.rows_of(model, "device")
        if counted[work.index]
        and source_of(model, work) >= 0
        and row.index in ancestors(model, source_of(model, work))
    )


def phase_of(name: str) -> str | None:
    for phase, words in {
        "infer_shape": ("infer_shape", "infer_meta"),
        "compute": ("compute", "launch"),
        "node_creation": ("node_creation",),
    }.items():
        if any(word in name for word in words):
            return phase
    return None


def inside(model: TraceModel, filter_: Filter) -> dict[str, dict[str, Any]]:
    """Return calls, phases and parts of the operators that the filter keeps, by name."""
    host = slow.rows_of(model, "host")
    kept = selection.host_rows(model, filter_.replace(devices=None, streams=None))
    counted = slow.counted_device_rows(model, filter_)
    call_of = {row.index: call for call in slow.calls(model) for row in call.rows}

    def operator(index: int) -> int | None:
        return next((i for i in ancestors(model, index) if slow.is_operator(host[i])), None)

    found: dict[str, dict[str, Any]] = {}
    for call in slow.calls(model):
        if kept[call.row.index]:
            entry = found.setdefault(
                call.row.name, {"calls": 0, "host": 0, "device": 0, "phases": [], "parts": []}
            )
            entry["calls"] += 1
            entry["host"] += call.row.duration
            entry["device"] += sum(
                row.duration for below in call.below() for row in below.device if counted[row.index]
            )
    for row in host:
        above = operator(row.index)
        if above is None or not kept[call_of[above].row.index]:
            continue
        times = (row.duration, under(model, row, counted))
        entry = found[call_of[above].row.name]
        parent = int(model.nesting.parent[row.index])
        if row.kind in ("phase", "annotation") and parent == above:
            entry["parts"].append((row.name, *times))
        phase = phase_of(row.name) if row.kind == "phase" else None
        nested = any(
            host[i].kind == "phase" and phase_of(host[i].name) and operator(i) == above
            for i in ancestors(model, row.index)
        )
        if phase and not nested:
            entry["phases"].append((phase, *times))
    return found
