"""`Verdict`: whether a comparison keeps a limit, and what it says about noise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from nbprof.diffs.gate.headlines import HEADLINES
from nbprof.diffs.values.comparison import NOISES, Comparison
from nbprof.model.errors import TableError
from nbprof.model.filters.filter import exact_name
from nbprof.model.filters.patterns import match_names
from nbprof.model.units import NEARLY_ZERO, format_bytes, format_number, format_time

if TYPE_CHECKING:
    from nbprof.diffs.diff import Diff
    from nbprof.diffs.gate.limits import Limit
    from nbprof.diffs.values.cells import Cells

Keys = list[tuple[Any, ...]]


@dataclass(frozen=True)
class Verdict:
    """What became of a limit.

    Attributes
    ----------
    limit : str
        The limit as it was given.
    unit : str
        Unit of the figures.
    baseline, candidate, delta : float
        The figure, in its unit.
    delta_pct, noise_pct : float or None
        Difference and noise as shares of the baseline; None if that is 0 or there is no estimate.
    exceeded : bool
        Whether the difference is larger than the limit allows.
    within_noise : bool
        Whether the difference is at most twice the noise.
    has_noise : bool
        Whether there is an estimate of the noise.
    failed : bool
        Whether the limit fails: it is exceeded and, unless that is strict, by more than noise.
    """

    limit: str
    unit: str
    baseline: float
    candidate: float
    delta: float
    delta_pct: float | None
    noise_pct: float | None
    exceeded: bool
    within_noise: bool
    has_noise: bool
    failed: bool

    @property
    def sentence(self) -> str:
        """One sentence: the limit, the figures, and what follows."""
        return f"{self.limit}: {self.figures}; {self.verdict}."

    @property
    def figures(self) -> str:
        """The figure on both sides and its change, in words."""
        change = amount(self.delta, self.unit, signed=True)
        if self.delta_pct is not None:
            change = f"{self.delta_pct:+.1f}%, {change}"
        sides = f"{amount(self.baseline, self.unit)} → {amount(self.candidate, self.unit)}"
        return f"{sides} ({change})"

    @property
    def verdict(self) -> str:
        """What follows, in words."""
        if not self.exceeded:
            return "kept"
        if not self.has_noise:
            return "exceeded; there is no estimate of the noise"
        twice = f" (twice {self.noise_pct:.1f}%)" if self.noise_pct else ""
        if not self.within_noise:
            return f"exceeded by more than the noise{twice}"
        if self.failed:
            return f"exceeded within the noise{twice}, which fails because of strict"
        return f"exceeded only within the noise{twice}, which does not fail"


def check(diff: Diff, limit: Limit, *, strict: bool = False) -> Verdict:
    """Compare a figure of both sides with a limit.

    Parameters
    ----------
    diff : Diff
        The comparison.
    limit : Limit
        The limit.
    strict : bool
        Whether a limit exceeded only within the noise fails, too.

    Raises
    ------
    TableError
        A side was recorded without the figure, or neither side has such a row.
    """
    spec = limit.spec
    if spec.measure is None:  # `Limit.parse` does not return such tables
        message = f"{spec.name} has no limits."
        raise TableError(message)
    sides = diff.sides.cells(spec.measure, worst=spec.worst, **limit.options)
    picked = [_picked(limit, side.keys) for side in sides]
    for name, side in zip(("baseline", "candidate"), sides, strict=True):
        if limit.figure.name not in side.values:
            reason = diff.missing(spec.name) or f"The {name} was recorded without it."
            message = f"The limit {limit.text!r} cannot be checked. {reason}"
            raise TableError(message)
    if not any(of.any() for of in picked):
        what = f"a {spec.nouns[0]}" + (f" that matches {limit.pattern!r}" if limit.pattern else "")
        message = f"The limit {limit.text!r} cannot be checked: neither side has {what}."
        raise TableError(message)
    ones = [
        _one(limit, side, of, limit.figure.name) for side, of in zip(sides, picked, strict=True)
    ]
    change = Comparison.of((ones[0], ones[1])).change(limit.figure.name)
    baseline, candidate, noise = (
        float(of[0]) for of in (change.baseline, change.candidate, change.noise)
    )
    delta = candidate - baseline
    exceeded = limit.exceeded(baseline, delta)
    has_noise = not np.isnan(noise)
    calm = bool(has_noise and abs(delta) <= NOISES * noise)
    return Verdict(
        limit=limit.text,
        unit=limit.figure.unit,
        baseline=baseline,
        candidate=candidate,
        delta=delta,
        delta_pct=100 * delta / baseline if baseline else None,
        noise_pct=100 * noise / baseline if baseline and has_noise else None,
        exceeded=exceeded,
        within_noise=calm,
        has_noise=has_noise,
        failed=exceeded and (strict or not calm),
    )


def _picked(limit: Limit, keys: Keys) -> npt.NDArray[np.bool_]:
    """Return which rows a limit is about, shape (rows,)."""
    if limit.headline:
        return np.array(HEADLINES[limit.headline].picks(keys), bool)
    picked = np.zeros(len(keys), bool)
    exact = exact_name(limit.pattern)
    for texts in zip(*keys, strict=True):
        names = [one if isinstance(one, str) else None for one in texts]
        if exact is None:
            picked |= match_names(names, limit.pattern)
        else:
            picked |= np.array([name == exact for name in names], bool)
    return picked


def _one(limit: Limit, side: Cells, picked: npt.NDArray[np.bool_], figure: str) -> Cells:
    """Return a side with one row: the sum of some rows, or the largest of them."""
    is_largest = bool(limit.headline) and HEADLINES[limit.headline].is_largest
    if is_largest and picked.sum() > 1:
        of_row = np.where(picked[side.row], side.values[figure], -np.inf)
        chosen = np.zeros(len(picked), bool)
        chosen[side.row[int(np.argmax(of_row))]] = True
        picked = chosen
    return side.of_rows(picked)


def amount(value: float, unit: str, *, signed: bool = False) -> str:
    """Return a value with its unit, as reports show it."""
    if unit == "us" and value == 0:
        text = "0 µs"
    elif unit == "us":
        text = format_time(abs(value))
    elif unit == "bytes":
        text = format_bytes(abs(value))
    else:
        text = format_number(abs(value), 0 if float(value).is_integer() else 1)
    if value and not text.split()[0].strip("0.,"):
        return f"{NEARLY_ZERO} {text.partition(' ')[2]}".strip()
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    return f"{sign}{text}"
