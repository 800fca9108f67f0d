"""``nbprof info``: lists the runs, workers and traces of a log directory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbprof.analysis.advice.warnings import notes_of
from nbprof.analysis.memory.peak import memory_peak
from nbprof.analysis.operators.without_operator import without_operator
from nbprof.cli.output import flush, message, progress, write_text
from nbprof.export.text.table import facts_text, number
from nbprof.loading import load
from nbprof.model.errors import OutOfMemoryError, TraceFormatError
from nbprof.model.links.overhead import overhead_taken
from nbprof.model.names.communication_names import rules_text
from nbprof.model.names.roles import overhead_threads
from nbprof.model.steps.step_choice import step_candidates
from nbprof.model.steps.steps import STEP_NAME
from nbprof.model.units import device_label, format_bytes, format_count, format_time
from nbprof.model.visible_text import printable
from nbprof.sources.discovery.catalog import in_jobs
from nbprof.widgets.hints.hints import hint, holdings

if TYPE_CHECKING:
    import argparse

    from nbprof.model.trace.model import TraceModel
    from nbprof.profiles import Profile
    from nbprof.trace import Trace

_PARTS = {
    "device": "device work",
    "shapes": "input shapes",
    "stacks": "call stacks",
    "memory": "memory",
    "modules": "modules",
    "steps": "steps",
}

#: So many devices and streams are listed.
_MOST = 32


def info(args: argparse.Namespace) -> int:
    """Run ``nbprof info`` and return its exit status."""
    profile = load(args.logdir, progress=False)
    chosen = _chosen_traces(profile, args)
    write_text(_summary(profile))
    read = 0
    for trace in chosen:
        write_text("\n" + printable(f"{trace.run} / {trace.worker} / span {trace.span}") + "\n")
        facts = _heads(trace)
        if not args.heads:
            # Loaded separately, so only one trace at a time is in memory.
            try:
                labelled = load(trace.path, progress=progress(), step=args.step_name).trace()
                if _has_only_memory(labelled.model):
                    facts += _memory(labelled.model)
                else:
                    facts += _contents(labelled.model)
                facts += _warnings(labelled)
            except (OutOfMemoryError, TraceFormatError) as error:
                facts.append(("unreadable", str(error)))
                message(str(error))
            else:
                read += 1
        write_text(facts_text(facts, indent="  "))
        flush()
    return 0 if read or args.heads else 1


def _chosen_traces(profile: Profile, args: argparse.Namespace) -> list[Trace]:
    wanted = {"run": args.run, "worker": args.worker, "span": args.span}
    chosen = [
        trace
        for trace in profile
        if all(value is None or getattr(trace, name) == value for name, value in wanted.items())
    ]
    # If nothing matches, this raises the error that lists what exists.
    return chosen or [profile.trace(**wanted)]


def _summary(profile: Profile) -> str:
    files = profile.files
    runs = len({file.run for file in files})
    workers = len({(file.run, file.worker) for file in in_jobs(files)})
    size = sum(file.bytes for file in files)
    skipped = profile.skipped().to_pylist()
    text = (
        f"{printable(str(profile.source))}: {format_count(runs, 'run')},"
        f" {format_count(workers, 'worker')},"
        f" {format_count(len(files), 'trace')}, {format_bytes(size)}\n"
    )
    if skipped:
        text += f"\n{format_count(len(skipped), 'file')} skipped:\n"
        text += facts_text([(row["path"], row["reason"]) for row in skipped], indent="  ")
    return text


def _heads(trace: Trace) -> list[tuple[str, Any]]:
    """Return the facts from the head of the file."""
    file = trace.file
    facts = [("file", f"{trace.path} ({format_bytes(file.bytes)})"), ("format", file.format)]
    if file.rank is not None:
        world = f" of {file.world_size}" if file.world_size else ""
        facts.append(("rank", f"{file.rank}{world}"))
    if file.host:
        facts.append(("host", file.host))
    devices = f" {file.devices}" if file.devices else ""
    facts.append(("device", f"{file.device_type or 'unknown'}{devices}"))
    return facts


def _has_only_memory(model: TraceModel) -> bool:
    """Return whether nothing ran in a recording, as in allocator snapshots and memory timelines."""
    rows = {name: model.tables[name].num_rows for name in ("host", "device")}
    return not any(rows.values()) and holdings(model)["memory"]


def _memory(model: TraceModel) -> list[tuple[str, Any]]:
    """Return the facts about a recording of memory."""
    facts = [
        (
            f"peak of {device_label(row['device_type'], row['device'])}",
            f"{format_bytes(row['peak_bytes'])} at {format_time(row['time_us'])}",
        )
        for row in memory_peak(model).to_pylist()[:_MOST]
    ]
    seconds = model.metadata["end_ns"] / 1e9
    records = format_count(model.tables["memory"].num_rows, "record")
    return [("memory", f"{records} over {seconds:,.3f} s"), *facts]


def _contents(model: TraceModel) -> list[tuple[str, Any]]:
    """Return the facts that require reading the file in full."""
    tables = model.tables
    seconds = model.metadata["end_ns"] / 1e9
    host, device = tables["host"].num_rows, tables["device"].num_rows
    held = holdings(model)
    events = (
        f"{model.metadata['events']:,} over {seconds:,.3f} s: {host:,} on the host,"
        f" {device:,} on devices, {tables['memory'].num_rows:,} of memory"
    )
    threads = tables["threads"].num_rows - int(overhead_threads(model).sum())
    facts = [("events", events), ("threads", f"{threads:,}")]
    devices = tables["devices"].to_pylist()
    for row in devices[:_MOST]:
        memory = row["memory_bytes"]
        size = f", {format_bytes(memory)}" if memory and memory > 0 else ""
        facts.append((f"device {row['device']}", f"{row['name'] or 'unnamed'}{size}"))
    if len(devices) > _MOST:
        facts.append(("devices", f"{len(devices) - _MOST:,} more"))
    streams = np.unique(model.column("device", "stream"))
    if held["device"]:
        facts.append(("streams", _listed(streams[streams >= 0].tolist())))
    facts.append(("steps", _steps(model)))
    if left := without_operator(model).sentence:
        facts.append(("of no operator", left))
    if taken := overhead_taken(model):
        facts.append(("the profiler itself", taken))
    others = model.metadata.get("other_categories", {})
    if others:
        shown = sorted(others.items(), key=lambda item: -item[1])[:_MOST]
        more = [f"{len(others) - _MOST:,} more"] if len(others) > _MOST else []
        listed = ", ".join([*(f"{name}: {count:,}" for name, count in shown), *more])
        facts.append(("other categories", f"{listed} (slices on the host)"))
    rules = model.metadata.get("communication_names")
    if rules:
        facts.append(("user-defined communication", rules_text(rules)))
    facts.append(
        ("recorded", ", ".join(text for key, text in _PARTS.items() if held[key]) or "nothing")
    )
    facts += [("missing", hint(model, key)) for key in _PARTS if not held[key]]
    return facts


def _listed(numbers: list[int]) -> str:
    more = [f"{len(numbers) - _MOST:,} more"] if len(numbers) > _MOST else []
    return ", ".join([*map(str, numbers[:_MOST]), *more])


def _steps(model: TraceModel) -> str:
    steps = model.steps
    if not steps.recorded:
        lines = [
            f"{one.count:,} steps: {one.name} (--step-name {one.pattern!r})"
            for one in step_candidates(model)
        ]
        return f"none; labels that repeat: {', '.join(lines)}" if lines else "none"
    numbers = np.sort(steps.number)
    label = model.metadata.get(STEP_NAME)
    by_label = "" if label is None else f" by the label {label}"
    return (
        f"{len(numbers):,}{by_label}, numbers {numbers[0]} to {numbers[-1]},"
        f" {int(steps.complete.sum()):,} of them complete"
    )


def _warnings(trace: Trace) -> list[tuple[str, Any]]:
    found = trace.warnings()
    return [
        ("warning", f"{row['kind']}: {number(row['count'])} ({row['example']})")
        for row in found.to_pylist()
        if row["level"] == "warning"
    ] + [("note", note) for note in notes_of(found)]
