"""`Filter`: an immutable selection of steps, times, names, kinds, threads, devices and streams.

Python calls and the controls of the widget use the same object. Steps and times restrict rows and
windows; all other fields restrict rows only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, cast

from nbprof.model.errors import FilterError
from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.patterns import check_pattern, is_pattern
from nbprof.model.reprs import and_list, did_you_mean
from nbprof.model.signatures import named_keywords
from nbprof.model.trace.kinds import CATEGORIES, FILTER_KINDS

if TYPE_CHECKING:
    from typing_extensions import Unpack


#: Fields that choose rows and say nothing about whole devices, in words.
_OF_ROWS: Final = {
    "name": "name",
    "within": "within",
    "kinds": "kind",
    "threads": "thread",
    "streams": "stream",
}


@dataclass(frozen=True)
class Filter:
    """Conditions that must all hold; a field left at None does not restrict.

    Parameters
    ----------
    steps : int or (int, int), optional
        Step numbers, first and last inclusive; an int is one step.
    time_us : (float, float), optional
        Half-open range in microseconds from the trace's first event.
    name : str, optional
        Case-insensitive substring; ``/…/`` is a regular expression.
    within : str, optional
        Name of host slices: keeps these slices and the work inside them, including their backward
        pass. Takes the forms of ``name``, and ``=aten::mm`` for exactly that name.
    kinds : sequence of str, optional
        Some of operator, annotation, runtime, python, module, kernel, memcpy, memset, memory.
    threads, devices, streams : sequence of int, optional
        Thread ids, device numbers, stream numbers.
    workers : sequence of str, optional
        For tables over several workers.

    Raises
    ------
    FilterError
        A field holds something that cannot be applied.

    Examples
    --------
    >>> narrow = nbprof.Filter(steps=(3, 4)).replace(name="conv")
    >>> narrow.to_dict()
    {'steps': [3, 4], 'name': 'conv'}
    >>> nbprof.Filter.from_dict({"steps": [3, 4], "name": "conv"}) == narrow
    True
    >>> narrow.describe()
    [('steps', 'steps 3 to 4'), ('name', 'name contains “conv”')]
    """

    steps: tuple[int, int] | None = None
    time_us: tuple[float, float] | None = None
    name: str | None = None
    within: str | None = None
    kinds: tuple[str, ...] | None = None
    threads: tuple[int, ...] | None = None
    devices: tuple[int, ...] | None = None
    streams: tuple[int, ...] | None = None
    workers: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        """Normalise and check every field."""
        steps: Any = self.steps
        if isinstance(steps, int) and not isinstance(steps, bool):
            steps = (steps, steps)
        self._set("steps", _range("steps", steps, int))
        self._set("time_us", _range("time_us", self.time_us, float))
        self._set("name", _name("name", self.name))
        self._set("within", _name("within", self.within))
        kinds = _items("kinds", self.kinds, str)
        for kind in kinds or ():
            if kind not in FILTER_KINDS:
                message = f"kinds: {kind!r} is not a kind. Kinds are {', '.join(FILTER_KINDS)}."
                raise FilterError(message)
        self._set("kinds", kinds)
        for field in ("threads", "devices", "streams"):
            self._set(field, _items(field, getattr(self, field), int))
        self._set("workers", _items("workers", self.workers, str))

    def _set(self, field: str, value: object) -> None:
        object.__setattr__(self, field, value)

    def __bool__(self) -> bool:
        """Whether anything is restricted."""
        return any(getattr(self, field.name) is not None for field in fields(self))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Filter:
        """Build a filter from plain values, such as a widget's ``filter`` trait.

        Raises
        ------
        FilterError
            A key is not a field, or a value cannot be applied.
        """
        known = [field.name for field in fields(cls)]
        for key in plain:
            if key not in known:
                hint = did_you_mean(key, known)
                message = f"{key!r} is not a filter field; the fields are {', '.join(known)}.{hint}"
                raise FilterError(message)
        return cls(**plain)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that are set, as plain lists and values."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {
            key: list(value) if isinstance(value, tuple) else value
            for key, value in values.items()
            if value is not None
        }

    @property
    def of_devices(self) -> Filter:
        """The filter of figures about whole devices: its steps, time, devices and workers.

        A device that runs other kernels is not idle, so the fields that choose rows do not apply.
        """
        kept = {name: getattr(self, name) for name in ("steps", "time_us", "devices", "workers")}
        return Filter(**kept)

    @property
    def beside_devices(self) -> str:
        """What is said beside figures about whole devices; empty if all fields apply to them."""
        words = [word for name, word in _OF_ROWS.items() if getattr(self, name) is not None]
        if not words:
            return ""
        filters = f"{and_list(words)} filter{'s do' if len(words) > 1 else ' does'}"
        return f"of all work; the {filters} not apply here"

    @property
    def other(self) -> str:
        """What the rest of a step is called: in it, work may run that does not pass."""
        chooses = self.devices is not None or bool(self.beside_devices)
        return "Outside the filter" if chooses else CATEGORIES["other"]

    @named_keywords(FilterFields)
    def replace(self, **changes: Unpack[FilterFields]) -> Filter:
        """Return a filter with some fields changed.

        Raises
        ------
        FilterError
            A field is unknown or cannot be applied.
        """
        return narrowed(self, None, changes)

    def describe(self) -> list[tuple[str, str]]:
        """Return (field, text) for every field that is set, for chips and messages."""
        texts: list[tuple[str, str]] = []
        if self.steps:
            first, last = self.steps
            one = first == last
            texts.append(("steps", f"step {first}" if one else f"steps {first} to {last}"))
        if self.time_us:
            texts.append(("time_us", f"{self.time_us[0]:,.0f} to {self.time_us[1]:,.0f} µs"))
        if self.name is not None:
            pattern = is_pattern(self.name)
            texts.append(("name", f"name {'matches' if pattern else 'contains'} “{self.name}”"))
        if self.within is not None:
            texts.append(("within", _within_text(self.within)))
        for field, word in (
            ("kinds", "kind"),
            ("threads", "thread"),
            ("devices", "device"),
            ("streams", "stream"),
            ("workers", "worker"),
        ):
            items = getattr(self, field)
            if items is not None:
                texts.append((field, f"{word} {', '.join(map(str, items))}"))
        return texts


def narrowed(filter_: Filter, other: Any, conditions: Mapping[str, Any]) -> Filter:
    """Return a filter, or another one in its place, with some fields replaced.

    Raises
    ------
    FilterError
        The argument is not a filter, or a condition is unknown or cannot be applied.
    """
    base = filter_ if other is None else other
    if not isinstance(base, Filter):
        message = (
            "Pass a nbprof.Filter, or conditions by name, such as filter(steps=(3, 5)) or"
            f" filter(name='conv'), not {other!r}."
        )
        raise FilterError(message)
    return Filter.from_dict({**base.to_dict(), **conditions}) if conditions else base


def only_range(filter_: Filter) -> Filter:
    """Return a filter with the steps and times of this one, without its other conditions."""
    return Filter(steps=filter_.steps, time_us=filter_.time_us)


def exact(name: str) -> str:
    """Return the form of ``within`` that matches exactly one name: ``=aten::mm``."""
    return f"={name}"


def exact_name(text: str) -> str | None:
    """Return the name that a ``within`` matches exactly, None if it has another form."""
    return text[1:] if len(text) > 1 and text.startswith("=") else None


def _name(field: str, value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        message = f"{field}: a string or /regular expression/ is required, not {value!r}."
        raise FilterError(message)
    check_pattern(value, field)
    return value


def _within_text(within: str) -> str:
    name = exact_name(within)
    if name is not None:
        return f"within “{name}”"
    return f"within names that match “{within}”"


def _range(field: str, value: object, kind: type[int | float]) -> tuple[Any, Any] | None:
    if value is None:
        return None
    try:
        first, last = cast("tuple[Any, Any]", value)
        low, high = _one(first, kind), _one(last, kind)
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{field}: two numbers (first, last) are required, not {value!r}."
        raise FilterError(message) from error
    if not low <= high:
        message = f"{field}: the range runs backwards, {low} to {high}."
        raise FilterError(message)
    return low, high


def _items(field: str, value: object, kind: type) -> tuple[Any, ...] | None:
    if value is None:
        return None
    items = (value,) if isinstance(value, (str, int)) else value
    if not isinstance(items, Iterable):
        message = f"{field}: a list is required, not {value!r}."
        raise FilterError(message)
    try:
        return tuple(_one(item, kind) for item in items)
    except (TypeError, ValueError, OverflowError) as error:
        message = f"{field}: {value!r} contains something that is not {kind.__name__}."
        raise FilterError(message) from error


def _one(value: object, kind: type) -> Any:
    """Convert a value to the type of a field; a fraction is not accepted as a whole number."""
    made = kind(value)
    if kind is int and isinstance(value, float) and made != value:
        message = f"{value!r} is not an integer"
        raise ValueError(message)
    return made


#: Keeps everything; the default of all analyses.
NO_FILTER: Final = Filter()
