"""What the table of the diff view can be of, and the key columns of each choice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping


class Choice(NamedTuple):
    """One of the tables that the view offers."""

    label: str
    keys: tuple[str, ...]


#: The tables by the word that `Diff.table` knows them by, the first on screen first.
CHOICES: Final[Mapping[str, Choice]] = {
    "operator": Choice("Operators", ("name",)),
    "operator+shape": Choice("Operators and shapes", ("name", "input_shapes")),
    "kernel": Choice("Kernels", ("name",)),
    "kernel+stream": Choice("Kernels and streams", ("name", "stream")),
    "module": Choice("Modules", ("row",)),
    "collective": Choice("Collectives", ("name",)),
    "memory": Choice("Memory peaks", ("device_type", "device")),
    "holder": Choice("Memory at the peak", ("device_type", "device", "operator", "module")),
    "launch": Choice("Launches", ("name",)),
    "idle": Choice("Idle time", ("device_type", "device", "cause")),
    "step": Choice("Steps", ("baseline_step", "candidate_step")),
    "category": Choice("Categories", ("category", "name")),
}

#: Names of the tables of the view in requests and saved state.
ROWS: Final = "differences"
TREE: Final = "diff_tree"

#: Where rows that only one side has are listed: by the size of the change, or before or after all
#: others.
PLACES: Final = ("size", "first", "last")
