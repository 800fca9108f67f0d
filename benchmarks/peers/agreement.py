"""Whether our tables say the same as those of the peers, and why where they do not.

Figures are compared row by row under the same names. What differs for a known reason is said with
the reason and does not count as a disagreement; anything else does.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: Relative, of times and shares; counts are compared exactly.
TOLERANCE = 1e-6
#: In the plugin's overview, which rounds to whole microseconds.
ROUNDED_US = 0.5

WRONG_IDS = (
    "the recorder wrote correlation ids where the plugin looks for External ids, so that it links"
    " no kernel to an operator; ours are linked by launch"
)
IMPOSSIBLE_ZERO = (
    "Kineto writes an occupancy of 0 for kernels with more than 48 KiB of shared memory, and the"
    " plugin averages it; ours computes it from the launch configuration"
)
COLLECTIVES = (
    "the plugin knows collectives by ten names of operators and such ids, and here counts them as"
    " kernels; ours are known by their kernels, too"
)


@dataclass(frozen=True)
class Agreement:
    """How one column of a table compares with a peer's.

    Attributes
    ----------
    peer, table, column : str
        What was compared.
    rows, equal : int
        Rows of either side, and how many of them say the same.
    largest : float
        The largest relative difference.
    tolerance : str
        What counts as the same, in words.
    reason : str
        Why it may differ, empty where it must not.
    """

    peer: str
    table: str
    column: str
    rows: int
    equal: int
    largest: float
    tolerance: str
    reason: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing differs that must not."""
        return bool(self.rows) and (self.equal == self.rows or bool(self.reason))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return {**asdict(self), "holds": self.holds}


def with_hta(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[Agreement]:
    """Compare with Holistic Trace Analysis, which files memory sets under copies.

    Our computation is taken without them; its idle and kernel times are of all devices together,
    and so compare where there is one.
    """
    peer = "HTA"
    (temporal,) = theirs["temporal"]
    device = ours["device_time"]
    found = [
        compare(peer, "temporal breakdown", column, {"": mine}, {"": temporal[name]})
        for column, mine, name in (
            ("kernel_time", device[0]["total_us"], "kernel_time(us)"),
            ("idle_time", device[0]["idle_us"], "idle_time(us)"),
            ("compute_time", ours["computation_without_memsets_us"], "compute_time(us)"),
        )
        if len(device) == 1
    ]
    kernels = [row for row in theirs["kernels"] if row["kernel_type"] != "MEMORY"]
    for column, name in (
        ("total_us", "sum (us)"),
        ("mean_us", "mean (us)"),
        ("max_us", "max (us)"),
        ("min_us", "min (us)"),
    ):
        pair = _column(ours["kernels"], column), _column(kernels, name)
        found.append(compare(peer, "kernel breakdown", column, *pair))
    launches = {"": ours["launches"]}, {"": theirs["launches"]}
    return [*found, compare(peer, "launch statistics", "rows", *launches)]


def with_plugin(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], *, wrong_ids: bool = False
) -> list[Agreement]:
    """Compare with the TensorBoard plugin.

    Parameters
    ----------
    ours, theirs : mapping
        The figures that the workers wrote.
    wrong_ids : bool
        Whether the recorder wrote other ids than the plugin looks for.
    """
    peer = "TensorBoard plugin"
    found = []
    for column, name in (
        ("calls", "count"),
        ("total_us", "sum"),
        ("mean_us", "mean"),
        ("max_us", "max"),
        ("min_us", "min"),
        ("mean_blocks_per_sm", "blocks_per_sm"),
        ("mean_occupancy_pct", "occupancy"),
    ):
        pair = _column(ours["kernels"], column), _column(theirs["kernels"], name)
        reason = ""
        if column == "mean_occupancy_pct" and differ_upwards(*pair):
            reason = IMPOSSIBLE_ZERO
        found.append(compare(peer, "kernels", column, *pair, reason=reason))
    for column in (
        "calls",
        "host_total_us",
        "host_self_us",
        "device_self_us",
        "device_total_us",
    ):
        pair = _column(ours["operators"], column), _column(theirs["operators"], column)
        linked = column in ("host_self_us", "device_self_us", "device_total_us")
        reason = WRONG_IDS if wrong_ids and linked else ""
        found.append(compare(peer, "operators", column, *pair, reason=reason))
    (average,) = theirs["overview"]["performance"]
    shown = {row["name"]: row["value"] for row in (average, *average["children"])}
    mine = {row["category"]: row["avg_us"] for row in ours["overview"] if row["category"] in shown}
    found.append(
        compare(
            peer,
            "overview",
            "avg_us",
            mine,
            shown,
            within=ROUNDED_US,
            reason=COLLECTIVES if wrong_ids else "",
        )
    )
    return found


def compare(
    peer: str,
    table: str,
    column: str,
    ours: Mapping[str, float | None],
    theirs: Mapping[str, float | None],
    *,
    within: float | None = None,
    reason: str = "",
) -> Agreement:
    """Compare one column, by the keys of its rows; without a value is the same as 0.

    Parameters
    ----------
    within : float, optional
        Absolute difference that is none, in place of the relative `TOLERANCE`.
    """
    keys = sorted({*ours, *theirs})
    pairs = [(_number(ours, key), _number(theirs, key)) for key in keys]
    if within is None:
        equal = sum(math.isclose(a, b, rel_tol=TOLERANCE, abs_tol=1e-9) for a, b in pairs)
    else:
        # Halves are rounded to even there.
        equal = sum(abs(a - b) <= within * (1 + TOLERANCE) for a, b in pairs)
    largest = max((_relative(a, b) for a, b in pairs), default=0.0)
    tolerance = f"relative {TOLERANCE:g}" if within is None else f"{within:g} µs"
    return Agreement(peer, table, column, len(keys), equal, largest, tolerance, reason)


def differ_upwards(ours: Mapping[str, float | None], theirs: Mapping[str, float | None]) -> bool:
    """Whether ours are never below theirs, as averages without impossible zeros are."""
    same = ours.keys() == theirs.keys()
    return same and all((ours[key] or 0) >= (theirs[key] or 0) - 1e-6 for key in ours)


def _relative(a: float, b: float) -> float:
    return abs(a - b) / max(abs(a), abs(b), 1.0) if math.isfinite(a - b) else 1.0


def _column(rows: Iterable[Mapping[str, Any]], column: str) -> dict[str, float | None]:
    return {row["name"]: row[column] for row in rows}


def _number(values: Mapping[str, float | None], key: str) -> float:
    if key not in values:
        return math.inf  # a row that only the other has is never the same
    return values[key] or 0.0
