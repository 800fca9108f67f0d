"""Writes Bokeh models as JSON without importing Bokeh, whose models alone take half a second.

The notation is that of ``bokeh.core.serialization``, the same in all versions that nbprof allows:
``{"type": "object", "name", "id", "attributes"}``, and ``{"id"}`` for a reference.
"""

from __future__ import annotations

import base64
import math
from typing import Any, TypeAlias

import numpy as np

Json: TypeAlias = dict[str, Any]

#: Names of the element types that BokehJS reads from bytes.
_DTYPES = {"f8": "float64", "f4": "float32", "i4": "int32", "u1": "uint8"}


class Models:
    """Creates the models of one figure, with numbers as ids.

    Attributes
    ----------
    settings : dict of str to dict
        Attributes that depend on the data, by the id of their model. The models do not contain
        them, so that figures of the same form have the same models.
    """

    def __init__(self) -> None:
        self.settings: dict[str, Json] = {}
        self._made = 0

    def model(self, kind: str, /, **attributes: Any) -> Json:
        """Return a new model."""
        self._made += 1
        return {"type": "object", "name": kind, "id": f"m{self._made}", "attributes": attributes}

    def set(self, model: Json, /, **attributes: Any) -> Json:
        """Set attributes of a model that depend on the data, and return the model."""
        self.settings.setdefault(model["id"], {}).update(attributes)
        return model


def reference(model: Json) -> Json:
    """Return a reference to a model that was defined earlier."""
    return {"id": model["id"]}


def field(column: str) -> Json:
    """Return a property whose value for each row is in a column."""
    return {"type": "field", "field": column}


def value(same: Any) -> Json:
    """Return a property with the same value for all rows."""
    return {"type": "value", "value": same}


def column(values: Any) -> Any:
    """Return a column of a data source: arrays of numbers as bytes, everything else as a list.

    Parameters
    ----------
    values : ndarray or sequence
        The values of all rows. BokehJS does not draw rows with NaN; it takes null for zero.
    """
    if not isinstance(values, np.ndarray):
        return [_plain(one) for one in values]
    if values.dtype.kind not in "iuf":
        return values.tolist()
    if values.dtype.kind in "iu":
        fits = not values.size or -(2**31) <= values.min() <= values.max() < 2**31
        values = values.astype(np.int32 if fits else np.float64)
    packed = np.ascontiguousarray(values)
    data = base64.b64encode(packed.astype(packed.dtype.newbyteorder("<")).tobytes()).decode()
    return {
        "type": "ndarray",
        "array": {"type": "bytes", "data": data},
        "shape": [len(packed)],
        "dtype": _DTYPES[packed.dtype.str[1:]],
        "order": "little",
    }


def _plain(one: Any) -> Any:
    if isinstance(one, (list, tuple, np.ndarray)):
        return [_plain(inner) for inner in one]
    if isinstance(one, np.generic):
        one = one.item()
    if isinstance(one, float) and not math.isfinite(one):
        return {"type": "number", "value": "nan" if math.isnan(one) else "-inf"[one > 0 :]}
    return one
