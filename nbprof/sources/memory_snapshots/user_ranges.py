"""Ranges of ``record_function`` in memory snapshots, which recent versions of PyTorch record.

The key ``external_annotations`` of a snapshot lists where such ranges begin and end on each device,
with the clock of the history. The innermost range that is open at an allocation says what the
memory is for, and stands in for its category where none was recorded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.columns import as_integer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources.defects import DefectLog

Integers = npt.NDArray[np.int64]

_BEGINS: Final = "START"
_ENDS: Final = "END"
_LONGEST: Final = 80
#: Ranges inside each other; what is deeper is left out, so that a file cannot take much time.
_DEEPEST: Final = 200


class UserRanges:
    """The innermost open range of a device after each of its annotations.

    Attributes
    ----------
    time_us : ndarray of int64, shape (annotations,)
        Relative times, ascending.
    names : list of str or None
        None where no range is open.
    """

    def __init__(self, time_us: Integers, names: list[str | None]) -> None:
        self.time_us = time_us
        self.names = names

    def at(self, time_us: Integers) -> list[str | None]:
        """Return the innermost range at each of some relative times."""
        place = np.searchsorted(self.time_us, time_us, side="right") - 1
        names = [*self.names, None]  # the last is that before all annotations, -1
        return [names[one] for one in place.tolist()]


def user_ranges(
    annotations: Any, zero_us: int | None, defects: DefectLog
) -> Mapping[int, UserRanges]:
    """Return the ranges of each device by its number.

    Parameters
    ----------
    annotations : object
        What the snapshot has under ``external_annotations``; anything but a list gives no ranges.
    zero_us : int or None
        The recorded time of relative time 0; without it there are no ranges.
    defects : DefectLog
        Counts ends without a beginning.
    """
    if zero_us is None or not isinstance(annotations, (list, tuple)):
        return {}
    by_device: dict[int, list[tuple[int, str, str]]] = {}
    for one in annotations:
        if isinstance(one, dict) and isinstance(name := one.get("name"), str):
            device, time = as_integer(one.get("device"), 0), as_integer(one.get("time_us"), 0)
            stage = str(one.get("stage"))
            by_device.setdefault(device, []).append((time - zero_us, stage, name[:_LONGEST]))
    return {device: _innermost(listed, defects) for device, listed in by_device.items()}


def _innermost(listed: list[tuple[int, str, str]], defects: DefectLog) -> UserRanges:
    listed.sort(key=lambda one: one[0])  # stable: equal times stay in the order of the recording
    opened: list[str] = []
    names: list[str | None] = []
    lost = 0
    for _, stage, name in listed:
        if stage == _BEGINS and len(opened) < _DEEPEST:
            opened.append(name)
        elif stage == _ENDS:
            # Ranges of several threads may overlap: the last one of this name ends.
            place = next((at for at in range(len(opened) - 1, -1, -1) if opened[at] == name), -1)
            lost += place < 0
            if place >= 0:
                del opened[place]
        names.append(opened[-1] if opened else None)
    if lost:
        example = "a range of record_function ends that began before the recording"
        defects.note("range without a beginning", lost, example, fatal=False)
    return UserRanges(np.array([time for time, *_ in listed], np.int64), names)
