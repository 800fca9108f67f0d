"""Reads process metadata of a `trace_view.json`; each process is a layer of the software stack.

A file often names processes after their events, and not at all if it was cut off.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from nbprof.sources.chrome.columns import as_float

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nbprof.sources.ascend.trace.events import NameArgs

PYTHON, CANN, HARDWARE = "Python", "CANN", "Ascend Hardware"
COMMUNICATION, OVERLAP = "HCCL", "Overlap Analysis"

#: Other names of these layers.
_ALIASES: Final = {"Communication": COMMUNICATION, "Python GC": PYTHON}

#: Processes whose slices ran on the host, whatever their label.
_HOST: Final = frozenset({PYTHON, CANN, "MindSpore", "CPU Usage"})

#: Layers of device work.
_DEVICE: Final = frozenset({HARDWARE, COMMUNICATION, OVERLAP})

_LABEL: Final = re.compile(r"NPU\s+(\d{1,5})", re.IGNORECASE)

#: Positions of layers at the end of the screen.
_LAST: Final = float("inf")

# A process id holds that of the host process, the place of the layer in five bits,
# and the device in five.
_DEVICE_BITS: Final = 5
_MASK: Final = (1 << _DEVICE_BITS) - 1
_LONGEST: Final = 19  # digits that int64 holds


@dataclass
class Process:
    """Metadata of one process."""

    name: str = ""
    label: str = ""
    place: float = _LAST

    @property
    def group(self) -> str:
        """Name of the layer, the same in all versions."""
        return _ALIASES.get(self.name, self.name)

    @property
    def on_device(self) -> bool:
        """Whether its slices ran on a device."""
        if self.group in _HOST:
            return False
        return self.group in _DEVICE or self.label.upper().startswith("NPU")


@dataclass
class Processes:
    """Metadata of all processes, by their ids as text.

    Attributes
    ----------
    threads : dict of (str, int) to str
        Names of threads; the last one in the file applies.
    places : dict of (str, int) to float
        Sort index of threads within their process.
    """

    found: dict[str, Process] = field(default_factory=dict)
    threads: dict[tuple[str, int], str] = field(default_factory=dict)
    places: dict[tuple[str, int], float] = field(default_factory=dict)

    def add(self, what: str | None, pid: str, tid: int, said: NameArgs) -> None:
        """Add the metadata of one event."""
        if what in {"process_name", "process_labels", "process_sort_index"}:
            process = self.found.setdefault(pid, Process())
            if what == "process_name" and isinstance(said.name, str):
                process.name = said.name
            elif what == "process_labels" and isinstance(said.labels, str):
                process.label = said.labels
            elif what == "process_sort_index":
                process.place = _place(said.sort_index)
        elif what == "thread_name" and isinstance(said.name, str):
            self.threads[pid, tid] = said.name
        elif what == "thread_sort_index":
            self.places[pid, tid] = _place(said.sort_index)

    def facts(self) -> list[tuple[str, str, int, Any]]:
        """Return all metadata in JSON-compatible form: key, process, thread and value."""
        said: list[tuple[str, str, int, Any]] = []
        for pid, process in self.found.items():
            said += [("name", pid, 0, process.name)] if process.name else []
            said += [("label", pid, 0, process.label)] if process.label else []
            said += [("place", pid, 0, process.place)] if process.place < _LAST else []
        said += [("thread", *key, name) for key, name in self.threads.items()]
        said += [("thread place", *key, at) for key, at in self.places.items() if at < _LAST]
        return said

    def add_facts(self, facts: list[tuple[str, str, int, Any]]) -> None:
        """Add metadata from a later part of the file, as `facts` returns it."""
        for what, pid, tid, value in facts:
            if what == "thread":
                self.threads[pid, tid] = value
            elif what == "thread place":
                self.places[pid, tid] = value
            else:
                setattr(self.found.setdefault(pid, Process()), what, value)

    def named(self, pid: str) -> Process:
        """Return the metadata of a process."""
        return self.found.get(pid, _UNKNOWN)

    def device(self, pid: str, default: int) -> int:
        """Return the number of the device that a process belongs to.

        Parameters
        ----------
        pid : str
            The process.
        default : int
            Number to return if the metadata do not name the device.
        """
        facts = _LABEL.search(self.named(pid).label)
        if facts:
            return int(facts.group(1))
        number = int(pid) if pid.isdecimal() and len(pid) < _LONGEST else -1
        layer, device = number >> _DEVICE_BITS & _MASK, number & _MASK
        return device if number > 0 and layer == self.named(pid).place else default

    def name_unnamed(self, guesses: Iterable[tuple[str, str]]) -> list[str]:
        """Apply guesses of (pid, name) to unnamed processes; return the pids that were named."""
        taken = []
        for pid, name in guesses:
            process = self.found.setdefault(pid, Process())
            if not process.name:
                process.name = name
                taken.append(pid)
        return taken


def _place(value: object) -> float:
    place = as_float(value)
    return place if place == place else _LAST  # noqa: PLR0124 - NaN is not itself


_UNKNOWN: Final = Process()
