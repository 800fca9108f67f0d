"""`ReadOptions`: which part of a file is read, and how defects are treated."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import Filter
from nbprof.model.steps.step_choice import checked_pattern

#: Values of `without`: kinds of slices that can be left out.
SEPARABLE: Final = ("python",)


@dataclass(frozen=True)
class ReadOptions:
    """Which part of a file is read; the defaults read everything.

    Equal options give equal models of a file, so options are part of the key of caches of models.

    Parameters
    ----------
    strict : bool
        Raise at the first irregularity instead of repairing and counting it.
    steps, time_us, kinds
        As the fields of `Filter` of the same names: tables equal those of the whole file under
        that filter.
    without : sequence of str
        Kinds of slices that are left out; ``"python"`` means Python frames except modules. Times
        still count from the first event of the file.
    step : str, optional
        The annotations that are the steps, of a trace in which the recorder marked none: a
        part of their names, or ``/regular expression/``.

    Raises
    ------
    FilterError
        A field holds something that cannot be applied.
    """

    strict: bool = False
    steps: tuple[int, int] | None = None
    time_us: tuple[float, float] | None = None
    kinds: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    step: str | None = None

    def __post_init__(self) -> None:
        """Normalise and check every field."""
        filter_ = self.filter
        self._set("strict", bool(self.strict))
        self._set("steps", filter_.steps)
        self._set("time_us", filter_.time_us)
        kinds = None if filter_.kinds is None else tuple(sorted(set(filter_.kinds)))
        self._set("kinds", kinds)
        without: Any = self.without
        without = (without,) if isinstance(without, str) else tuple(without)
        for one in without:
            if one not in SEPARABLE:
                message = f"without: {one!r} cannot be left out; {', '.join(SEPARABLE)} can."
                raise FilterError(message)
        self._set("without", tuple(sorted(set(without))))
        self._set("step", checked_pattern(self.step))

    @classmethod
    def of(cls, **fields: Any) -> ReadOptions:
        """Return options from arguments of users: single values or any sequences."""
        return cls(**fields)

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    @property
    def filter(self) -> Filter:
        """The filter that applies to all tables."""
        return Filter(steps=self.steps, time_us=self.time_us, kinds=self.kinds)

    def narrow(self, filter_: Filter) -> Filter:
        """Return a filter narrowed to the part that is read."""
        changes: dict[str, Any] = {}
        if self.time_us is not None:
            low, high = filter_.time_us or self.time_us
            low, high = max(low, self.time_us[0]), min(high, self.time_us[1])
            changes["time_us"] = (low, max(low, high))
        if self.steps is not None:
            first, last = filter_.steps or self.steps
            first, last = max(first, self.steps[0]), min(last, self.steps[1])
            if first > last:  # disjoint: no step, and no time
                first, last = self.steps
                changes["time_us"] = (0.0, 0.0)
            changes["steps"] = (first, last)
        if self.kinds is not None:
            wanted = self.kinds if filter_.kinds is None else filter_.kinds
            changes["kinds"] = tuple(kind for kind in wanted if kind in self.kinds)
        return filter_.replace(**changes) if changes else filter_

    @property
    def partial(self) -> bool:
        """Whether only a part of the file is read."""
        return any(
            getattr(self, field.name) != field.default
            for field in fields(self)
            if field.name not in ("strict", "step")
        )


#: Reads everything, and repairs defects.
READ_ALL: Final = ReadOptions()
