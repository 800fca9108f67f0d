"""Reads the metadata of a file that nbprof wrote: the recording that it is a part of.

The metadata are stored under the key ``nbprof`` beside the events; other programs ignore them. They
let a part keep the times, steps and thread order of the whole recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.trace.warning import TraceWarning
from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.defects import EXAMPLE_LENGTH

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

#: The top-level key.
KEY: Final = "nbprof"

#: Numbers beyond this are not taken as times.
_FAR: Final = 2**62


@dataclass(frozen=True)
class Recording:
    """Facts about a whole recording; a field that is None is computed from the events.

    Attributes
    ----------
    zero_ns : int
        Its time zero, in nanoseconds on the file's own base.
    end_ns : int
        Its end, from its time zero.
    recorded_ns : (int, int)
        When the recorder started and stopped, from its time zero.
    device_type : str
        The type of device that the process used.
    threads : tuple of (str, int)
        Process and thread ids in the order of the table of threads.
    lanes : tuple of (int, int, str, str)
        Device, number, group and name of device lanes that are no streams.
    steps : tuple of (int, int, int, int, bool)
        Of every step in the file: start and end on the host, start and end with its device work,
        and whether it is complete. In time order.
    step_name : str
        The annotation that was chosen as the step, if any.
    step_numbers : tuple of int
        The numbers of the chosen steps that are in the file.
    warnings : tuple of TraceWarning
        The defects that were counted when the recording was read.
    """

    zero_ns: int | None = None
    end_ns: int | None = None
    recorded_ns: tuple[int, int] | None = None
    device_type: str | None = None
    threads: tuple[tuple[str, int], ...] = ()
    lanes: tuple[tuple[int, int, str, str], ...] = ()
    steps: tuple[tuple[int, int, int, int, bool], ...] | None = None
    step_name: str | None = None
    step_numbers: tuple[int, ...] | None = None
    warnings: tuple[TraceWarning, ...] = ()

    @classmethod
    def of_header(cls, header: Mapping[str, Any]) -> Recording:
        """Read it from the top-level keys of a file, and ignore invalid values."""
        plain = header.get(KEY)
        if not isinstance(plain, dict):
            return cls()
        span = _each(plain.get("recorded_ns"), _as_time)
        device_type = plain.get("device_type")
        threads = _each(plain.get("threads"), _thread) or ()
        step_name = plain.get("step_name")
        return cls(
            zero_ns=_as_time(plain.get("zero_ns")),
            end_ns=_as_time(plain.get("end_ns")),
            recorded_ns=(span[0], span[1]) if span and len(span) == 2 else None,
            device_type=device_type if isinstance(device_type, str) else None,
            threads=threads,
            lanes=_each(plain.get("lanes"), _lane) or (),
            steps=_each(plain.get("steps"), _step),
            step_name=step_name if isinstance(step_name, str) else None,
            step_numbers=_each(plain.get("step_numbers"), _as_time),
            warnings=_each(plain.get("warnings"), _warning) or (),
        )

    def to_header(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        fields = {
            "zero_ns": self.zero_ns,
            "end_ns": self.end_ns,
            "recorded_ns": self.recorded_ns,
            "device_type": self.device_type,
            "threads": self.threads,
            "lanes": self.lanes or None,
            "steps": self.steps,
            "step_name": self.step_name,
            "step_numbers": self.step_numbers,
            # Examples quote the file, whatever it holds; what is written is shared.
            "warnings": [(one.kind, one.count, "") for one in self.warnings],
        }
        return {KEY: {name: value for name, value in fields.items() if value is not None}}


def _as_time(value: Any) -> int | None:
    """Return a value that is a whole number within bounds, None for anything else."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and -_FAR < value < _FAR else None


def _each(values: Any, make: Callable[[Any], Any]) -> tuple[Any, ...] | None:
    """Convert every value of a list; None if a value cannot be converted, or there is no list."""
    if not isinstance(values, list):
        return None
    made = tuple(map(make, values))
    return None if None in made else made


def _thread(value: Any) -> tuple[str, int] | None:
    match value:
        case [str(pid), int(tid)]:
            return pid, as_integer(tid)
    return None


def _lane(value: Any) -> tuple[int, int, str, str] | None:
    match value:
        case [int(device), int(number), str(group), str(name)]:
            return as_integer(device), as_integer(number), group, name
    return None


def _step(value: Any) -> tuple[int, int, int, int, bool] | None:
    match value:
        case [first, last, start, end, bool(complete)]:
            times = [_as_time(one) for one in (first, last, start, end)]
            if None not in times:
                return (first, last, start, end, complete)
    return None


def _warning(value: Any) -> TraceWarning | None:
    match value:
        case [str(kind), int(count), str(example)]:
            return TraceWarning(kind, as_integer(count), example[:EXAMPLE_LENGTH])
    return None
