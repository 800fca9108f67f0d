"""`OutsideWindow`: a window outside the time range that is read; keeps steps and memory records."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from nbprof.sources.chrome.decoding import Window

#: Phase, category, process and thread.
Track = tuple[str | None, str | None, Any, Any]


@dataclass(frozen=True)
class OutsideWindow(Window):
    """A window outside of the range, split into events that are kept and events that are not.

    Attributes
    ----------
    tracks : Counter of (str, str, scalar, scalar)
        The number of events of each phase, category, process and thread.
    taken : Window
        The events that are kept: steps and memory records.
    """

    tracks: Counter[Track] = field(default_factory=Counter)
    taken: Window | None = None
