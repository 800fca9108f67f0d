"""Inputs of operators, written as recordings write them."""

from __future__ import annotations

import json
from typing import Any

from nbprof.analysis.costs.inputs import Inputs

#: Types by the letters that tests use for them.
TYPES = {
    "f": "float", "h": "c10::Half", "b": "c10::BFloat16", "d": "double", "l": "long int",
    "z": "c10::complex<float>", "i": "int", "8": "c10::Float8_e4m3fn", "c": "signed char",
    "4": "c10::Float4_e2m1fn_x2", "u": "unsigned char", "?": "bool", "s": "Scalar",
    "S": "ScalarList", "T": "TensorList", "-": "",
}  # fmt: skip


def texts(types: str, shapes: list[Any], values: dict[int, Any] | None = None) -> tuple[str, ...]:
    """Return the JSON texts of shapes, types and values; arguments without a shape have none."""
    given = values or {}
    filled = shapes + [[]] * (len(types) - len(shapes))
    return (
        json.dumps(filled),
        json.dumps([TYPES[letter] for letter in types]),
        json.dumps([str(given.get(index, "")) for index in range(len(types))]),
    )


def inputs(
    operator: str, types: str, shapes: list[Any], values: dict[int, Any] | None = None
) -> Inputs:
    """Return the inputs of an operator."""
    return Inputs.of_texts(operator, *texts(types, shapes, values))
