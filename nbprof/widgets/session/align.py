"""`Align`: what the timelines of two runs are aligned at, as the trait and requests name it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from nbprof.model.reprs import did_you_mean
from nbprof.widgets.requests.protocol import RequestError

_KINDS: Final[Mapping[str, type]] = {"step": int, "name": str, "nth": int}

#: Limits of numbers: what a browser holds exactly.
_FAR: Final = 2**53


class Align(NamedTuple):
    """What two timelines are aligned at: the start of a step, or an occurrence of a name.

    Parameters
    ----------
    step : int, optional
        Number of a step of the trace on screen. Without a name, its start; with a name, the
        occurrences in it are counted, and those in the same step of the baseline.
    name : str
        Name of an operator, a module or any other slice; empty for the step itself.
    nth : int
        Which occurrence, from 1.
    """

    step: int | None = None
    name: str = ""
    nth: int = 1

    @classmethod
    def parse(cls, plain: object) -> Align:
        """Read the ``align`` of a request; if it is missing or empty, the first step is meant.

        Raises
        ------
        RequestError
            It is not an object with step, name and nth.
        """
        if plain is None:
            return cls()
        if not isinstance(plain, Mapping):
            message = f"timeline_align: a dict of step, name and nth is required, not {plain!r}."
            raise RequestError(message)
        for field, value in plain.items():
            if field not in _KINDS:
                near = did_you_mean(str(field), _KINDS)
                message = f"timeline_align: there is no {field!r}; there is {', '.join(_KINDS)}."
                raise RequestError(message + near)
            low = 1 if field == "nth" else 0
            wrong = not isinstance(value, _KINDS[field]) or isinstance(value, bool)
            if wrong or (isinstance(value, int) and not low <= value < _FAR):
                message = f"timeline_align: {field} cannot be {value!r}."
                raise RequestError(message)
        return cls(plain.get("step"), plain.get("name", ""), plain.get("nth", 1))

    def plain(self) -> dict[str, Any]:
        """Return the fields that are set."""
        fields: dict[str, Any] = {} if self.step is None else {"step": self.step}
        if self.name:
            fields |= {"name": self.name, "nth": self.nth}
        return fields
