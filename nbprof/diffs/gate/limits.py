"""`Limit`: reads ``kernel:/gemm/ total_us > +10%``."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from nbprof.diffs.gate.headlines import HEADLINES
from nbprof.diffs.lookup import words
from nbprof.model.errors import LimitError
from nbprof.model.filters.filter import exact_name
from nbprof.model.filters.patterns import check_pattern
from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.diffs.spec import DiffTableSpec, Figure

#: What a limit looks like, for messages.
FORM: Final = "a limit is like 'step_us > +5%' or 'kernel:/gemm/ total_us > +100us'"

_LIMIT: Final = re.compile(
    r"\s*(?P<rows>\S.*\s)??(?P<figure>\w+)\s*(?P<sign>[<>])\s*(?P<amount>\S.*?)\s*", re.DOTALL
)
_AMOUNT: Final = re.compile(
    r"(?P<sign>[+-])\s*(?P<number>\d+(?:\.\d*)?|\.\d+)\s*(?P<unit>%|[a-zµμ]*)", re.IGNORECASE
)
#: Factors of units, by the unit of a figure. The first is the figure's own.
_UNITS: Final[dict[str, dict[str, float]]] = {
    "us": {"us": 1.0, "µs": 1.0, "μs": 1.0, "ns": 1e-3, "ms": 1e3, "s": 1e6},
    "bytes": {
        "b": 1.0,
        "kb": 1e3,
        "mb": 1e6,
        "gb": 1e9,
        "kib": 2.0**10,
        "mib": 2.0**20,
        "gib": 2.0**30,
    },
    "": {"": 1.0},
}
_NAMES: Final = {"us": "us, ms or s", "bytes": "B, KB, MB, GB, KiB, MiB or GiB", "": "no unit"}


@dataclass(frozen=True)
class Limit:
    """How much a figure may change.

    Attributes
    ----------
    text : str
        The limit as it was given.
    spec : DiffTableSpec
        The table that has the figure.
    options : mapping of str to object
        Options of the table.
    figure : Figure
        The figure; of several rows, their sum.
    pattern : str
        Names of the rows, as in filters; empty for all.
    headline : str
        Name of the headline figure, empty for a figure of named rows.
    amount : float
        The change that is still allowed, in the figure's unit or in percent; negative for limits on
        decreases.
    is_share : bool
        Whether the amount is a percentage of the baseline.
    """

    text: str
    spec: DiffTableSpec
    options: Mapping[str, Any]
    figure: Figure
    pattern: str
    headline: str
    amount: float
    is_share: bool

    @classmethod
    def parse(cls, text: str) -> Limit:
        """Read a limit.

        Raises
        ------
        LimitError
            It has another form, or names a figure, a table or a unit that does not exist.
        """
        found = _LIMIT.fullmatch(text)
        if found is None:
            message = f"The limit {text!r} has no figure, sign and amount: {FORM}."
            raise LimitError(message)
        rows, name = (found["rows"] or "").strip(), found["figure"]
        spec, options, pattern, headline, figure = _rows(text, rows, name)
        amount, is_share = _amount(text, found["sign"], found["amount"], figure)
        return cls(text.strip(), spec, options, figure, pattern, headline, amount, is_share)

    def exceeded(self, baseline: float, delta: float) -> bool:
        """Return whether a change is larger than allowed; both values in the figure's unit."""
        if self.is_share and baseline == 0:
            allowed = 0.0  # any share of nothing is nothing
        else:
            allowed = self.amount * baseline / 100 if self.is_share else self.amount
        down = self.amount < 0 or math.copysign(1.0, self.amount) < 0
        return delta < allowed if down else delta > allowed


def _rows(
    text: str, rows: str, name: str
) -> tuple[DiffTableSpec, Mapping[str, Any], str, str, Figure]:
    """Return table, options, pattern, headline figure and figure that a limit is about."""
    if not rows:
        headline = HEADLINES.get(name)
        if headline is None:
            hint = did_you_mean(name, HEADLINES)
            message = (
                f"The limit {text!r} is about an unknown figure {name!r}; there are"
                f" {', '.join(HEADLINES)}, and figures of rows such as"
                f" 'kernel:/gemm/ total_us'.{hint}"
            )
            raise LimitError(message)
        spec, options = words()[headline.word]
        return spec, options, "", name, _figure(text, spec, headline.figure)
    word, colon, pattern = rows.partition(":")
    known = {one: found for one, found in words().items() if found[0].measure is not None}
    if not colon or word not in known:
        hint = did_you_mean(word, known)
        message = (
            f"The limit {text!r} must begin with a figure, or with one of"
            f" {', '.join(f'{one}:' for one in known)} and a name.{hint}"
        )
        raise LimitError(message)
    if not pattern.strip():
        message = f"The limit {text!r} names no {word} after {word}:."
        raise LimitError(message)
    if exact_name(pattern) is None:
        check_pattern(pattern, f"The limit {text!r}")
    spec, options = known[word]
    return spec, options, pattern, "", _figure(text, spec, name)


def _figure(text: str, spec: DiffTableSpec, name: str) -> Figure:
    figures = {figure.name: figure for figure in spec.figures}
    if name not in figures:
        hint = did_you_mean(name, figures)
        message = (
            f"The limit {text!r} is about {name!r}, but the figures of {spec.nouns[1]} are"
            f" {', '.join(figures)}.{hint}"
        )
        raise LimitError(message)
    return figures[name]


def _amount(text: str, sign: str, amount: str, figure: Figure) -> tuple[float, bool]:
    """Return the amount in the figure's unit or in percent, and whether it is a share."""
    found = _AMOUNT.fullmatch(amount)
    if found is None:
        message = (
            f"The limit {text!r} needs a change after {sign}, such as +5% or -2%, not {amount!r}:"
            f" {FORM}."
        )
        raise LimitError(message)
    if (found["sign"] == "+") != (sign == ">"):
        message = (
            f"The limit {text!r} mixes directions: write > with an increase (> +5%) and < with a"
            " decrease (< -5%)."
        )
        raise LimitError(message)
    number = float(found["sign"] + found["number"])
    unit = found["unit"].lower()
    if unit == "%":
        return number, True
    units = _UNITS[figure.unit]
    if unit and unit not in units:
        message = (
            f"The limit {text!r} has the unit {found['unit']!r}, but {figure.name} takes a"
            f" percentage or {_NAMES[figure.unit]}."
        )
        raise LimitError(message)
    return number * (units[unit] if unit else 1.0), False
