"""Formats processes, threads, devices and streams of a model as Chrome trace metadata."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.units import device_label
from nbprof.sources.writing import text
from nbprof.sources.writing.text import Fragments

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources.writing.part import Part

#: Sort index of devices among the processes, as in Kineto.
_DEVICES_LAST: Final = 5_000_000


def thread_places(model: TraceModel) -> Fragments:
    """Return the process and thread id of every row of the table of threads."""
    table = model.tables["threads"].to_pylist()
    places = (f',"pid":{_process(row["pid"])},"tid":{row["tid"]}' for row in table)
    # Some recorders do not record the thread that allocated memory.
    return Fragments(places, missing=',"pid":null,"tid":-1')


def _process(pid: str | None) -> str:
    """Return a process id as a number if it is one, else as text."""
    if not pid:
        return "null"
    is_number = re.fullmatch(r"0|-?[1-9]\d{0,17}", pid, re.ASCII) is not None
    return pid if is_number else text.encode(pid)


def about_places(model: TraceModel, part: Part) -> str:
    """Return metadata events that name processes, threads, devices and streams.

    Threads come last, so that a thread keeps its name if a stream has the same ids.
    """
    said: list[str] = []

    def say(what: str, pid: str, tid: int, **args: Any) -> None:
        about = f'"ph":"M","name":"{what}","pid":{pid},"tid":{tid},"ts":0.000'
        said.append(f'{{{about},"args":{text.encode(args)}}}')

    lanes = model.tables["lanes"].to_pylist()
    groups = {row["place"]: row["group"] for row in lanes if row["side"] == "host"}
    named = {
        (row["place"], row["stream"]): " ".join((row["group"], row["name"]))
        for row in lanes
        if row["side"] == "device"
    }
    recorded = str(model.metadata.get("device_type"))
    kind = "gpu" if recorded in {"None", "", "cpu"} else recorded
    device, stream = (model.column("device", name)[part.device] for name in ("device", "stream"))
    for number in np.unique(device).tolist():
        say("process_name", str(number), 0, name="python")
        say("process_labels", str(number), 0, labels=device_label(kind, number))
        say("process_sort_index", str(number), 0, sort_index=_DEVICES_LAST + number)
        for one in np.unique(stream[device == number]).tolist():
            say("thread_name", str(number), one, name=named.get((number, one), f"stream {one}"))
    threads = model.tables["threads"].take(part.threads).to_pylist()
    programs = {
        row["pid"]: groups.get(number, "python")
        for number, row in zip(part.threads.tolist(), threads, strict=True)
    }
    for pid, program in programs.items():
        say("process_name", _process(pid), 0, name=program)
        say("process_labels", _process(pid), 0, labels="CPU")
    for row in threads:
        say("thread_name", _process(row["pid"]), row["tid"], name=row["name"] or "")
    return "".join(f",\n{one}" for one in said)
