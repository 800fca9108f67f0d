"""Traits of the timeline's lanes: the user's arrangement of them, and their total height."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import traitlets
from traitlets import TraitError, TraitType, Undefined

from nbprof.model.reprs import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    _Trait = TraitType[Any, Any]
else:
    _Trait = TraitType  # not generic in the oldest traitlets that ipywidgets accepts

#: Limits of `LaneTraits.timeline_height`, CSS pixels.
_LEAST_HEIGHT: Final = 60
_MOST_HEIGHT: Final = 20_000


class LanesTrait(_Trait):
    """A dict of the fields that are set: order, hidden, pinned, collapsed and heights."""

    info_text = "a dict of order, hidden, pinned (lists of keys), collapsed and heights (by key)"
    default_value: Any = Undefined

    def make_dynamic_default(self) -> dict[str, Any]:
        """Create a separate dict for every widget."""
        return {}

    def validate(self, obj: Any, value: Any) -> dict[str, Any]:
        """Check the fields, and leave out empty ones and repeated keys."""
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.error(obj, value)
        for field in value:
            if field not in _FIELDS:
                message = (
                    f"lanes: there is no field {field!r}; there is {', '.join(_FIELDS)}."
                    f"{did_you_mean(str(field), _FIELDS)}"
                )
                raise TraitError(message)
        checked = {field: _FIELDS[field](field, given) for field, given in value.items()}
        return {field: given for field, given in checked.items() if given}


def _keys(field: str, value: Any) -> list[str]:
    if not isinstance(value, (list, tuple)) or not all(isinstance(key, str) for key in value):
        message = f"lanes: {field} is a list of keys of lanes, not {value!r}."
        raise TraitError(message)
    return list(dict.fromkeys(value))


def _by_key(field: str, value: Any, meets: Callable[[Any], bool], wanted: str) -> dict[str, Any]:
    if not isinstance(value, Mapping) or not all(isinstance(key, str) for key in value):
        message = f"lanes: {field} is a dict from keys of lanes to {wanted}, not {value!r}."
        raise TraitError(message)
    for key, one in value.items():
        if not meets(one):
            message = f"lanes: {field} of {key!r} is {wanted}, not {one!r}."
            raise TraitError(message)
    return dict(value)


def _collapsed(field: str, value: Any) -> dict[str, Any]:
    return _by_key(field, value, lambda one: isinstance(one, bool), "True or False")


def _heights(field: str, value: Any) -> dict[str, Any]:
    return _by_key(field, value, _is_height, "a number of pixels above 0")


def _is_height(value: object) -> bool:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return False
    return math.isfinite(value) and value > 0


_FIELDS: Final[dict[str, Callable[[str, Any], Any]]] = {
    "order": _keys,
    "hidden": _keys,
    "pinned": _keys,
    "collapsed": _collapsed,
    "heights": _heights,
}


class LaneTraits(traitlets.HasTraits):
    """Traits of the lanes of the timeline."""

    lanes = LanesTrait().tag(sync=True, echo_update=False)
    """Arrangement of the timeline's lanes, a dict of the fields that are set: ``order``, keys of
    lanes and groups that come first; ``hidden`` and ``pinned``, lists of keys; ``collapsed``, True
    or False by key; ``heights`` of a lane's rows or of a curve in pixels by key. Keys are those of
    ``trace.slices()["lane"]``. Keys that a trace does not have are kept for others."""

    timeline_height = traitlets.Int(None, allow_none=True).tag(sync=True)
    """Height of the timeline's lanes in pixels; None for the usual one."""

    @traitlets.validate("timeline_height")
    def _check_timeline_height(self, proposal: Any) -> int | None:
        value: int | None = proposal["value"]
        if value is not None and not _LEAST_HEIGHT <= value <= _MOST_HEIGHT:
            message = (
                f"timeline_height takes {_LEAST_HEIGHT} to {_MOST_HEIGHT:,} pixels, or None, not"
                f" {value}."
            )
            raise TraitError(message)
        return value
