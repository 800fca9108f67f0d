"""The rows of the tables over the aligned call trees, with their values on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.diffs.spec import Figure
from nbprof.diffs.trees.calls import KINDS
from nbprof.diffs.trees.pairs import Pair, pair_up
from nbprof.diffs.trees.positions import Positions
from nbprof.diffs.values.comparison import Comparison

if TYPE_CHECKING:
    from nbprof.diffs.sides.sides import Side, Sides

DEVICE: Final = Figure(
    "device_us", "us", "time of all device work launched below the row.", instead="host_us"
)
HOST: Final = Figure("host_us", "us", "host time of the row and of all rows below, of all threads.")
DEVICE_SELF: Final = Figure(
    "device_self_us", "us", "time of the device work that the row itself launched."
)
HOST_SELF: Final = Figure("host_self_us", "us", "host time of the row without the rows below.")
BACKWARD_DEVICE: Final = Figure(
    "backward_device_us", "us", "part of device_us that the backward pass launched."
)
BACKWARD_HOST: Final = Figure("backward_host_us", "us", "part of host_us in the backward pass.")
CALLS: Final = Figure("calls", "", "1 where the row exists; the number of steps for the whole.")


@dataclass(frozen=True)
class TreeRows:
    """The aligned trees of both sides; lists of length (rows,), in preorder.

    Attributes
    ----------
    pairs : list of Pair
        Positions and parents.
    kind, phase : list of str
        As in the table ``tree``.
    name, candidate_name : list of str or None
        Name in the baseline or, without one, in the candidate; name in the candidate.
    occurrence : list of int
        Which one it is of its siblings with its label.
    comparison : Comparison
        Values of all rows.
    """

    pairs: list[Pair]
    kind: list[str]
    phase: list[str]
    name: list[str]
    candidate_name: list[str | None]
    occurrence: list[int]
    comparison: Comparison

    @classmethod
    def of(cls, sides: Sides) -> TreeRows:
        """Align the trees of the first traces of both sides, once."""
        if "tree" not in sides.derived:
            sides.derived["tree"] = cls._find(sides)
        rows: TreeRows = sides.derived["tree"]
        return rows

    @classmethod
    def _find(cls, sides: Sides) -> TreeRows:
        one, other = (_positions(sides, side) for side in (sides.baseline, sides.candidate))
        pairs = pair_up(one, other)
        shown = [
            (one, pair.baseline) if pair.baseline >= 0 else (other, pair.candidate)
            for pair in pairs
        ]
        labels = [side.label[at] for side, at in shown]
        keys = [(at,) for at in range(len(pairs))]
        places = (
            _rows([pair.baseline for pair in pairs], len(one.children)),
            _rows([pair.candidate for pair in pairs], len(other.children)),
        )
        cells = one.cells, other.cells
        complete = cells[0].complete, cells[1].complete
        return cls(
            pairs=pairs,
            kind=[KINDS[kind] if kind >= 0 else "step" for kind, _, _ in labels],
            phase=["backward" if side.backward[at] else "forward" for side, at in shown],
            name=[name or "Step" for _, _, name in labels],
            candidate_name=[
                (other.label[pair.candidate][2] or "Step") if pair.candidate >= 0 else None
                for pair in pairs
            ],
            occurrence=[side.occurrence[at] for side, at in shown],
            comparison=Comparison(keys, *places, cells, complete),
        )


def _positions(sides: Sides, side: Side) -> Positions:
    return Positions.of(side.models[0], side.filters[0], sides.used(side)[0])


def _rows(positions: list[int], count: int) -> npt.NDArray[np.int64]:
    """Return the row of each position of a side."""
    place = np.full(count, -1, np.int64)
    at = np.array(positions, np.int64)
    place[at[at >= 0]] = np.flatnonzero(at >= 0)
    return place
