"""Sizes of data types in bytes, under all names by which recorders write them."""

from __future__ import annotations

import re
from typing import Final

#: Names of types by the form in which peaks are listed, with the bytes of an element.
_TYPES: Final = (
    ("fp64", 8, ("double", "float64", "fp64")),
    ("fp32", 4, ("float", "float32", "fp32", "tf32")),
    ("fp16", 2, ("half", "float16", "fp16")),
    ("bf16", 2, ("bfloat16", "bf16")),
    ("int64", 8, ("long", "long int", "int64", "uint64", "unsigned long")),
    ("int32", 4, ("int", "int32", "uint32", "unsigned int")),
    ("int16", 2, ("short", "short int", "int16", "uint16", "unsigned short")),
    ("int8", 1, ("char", "signed char", "byte", "unsigned char", "int8", "uint8")),
    ("bool", 1, ("bool",)),
    ("int4", 0.5, ("int4", "uint4", "quint4x2")),
    ("complex32", 4, ("complex<half>", "complex32", "complexhalf")),
    ("complex64", 8, ("complex<float>", "complex64", "complexfloat")),
    ("complex128", 16, ("complex<double>", "complex128", "complexdouble")),
    ("int8", 1, ("qint8", "quint8")),
    ("int32", 4, ("qint32",)),
)
_BY_NAME: Final = {name: (short, size) for short, size, names in _TYPES for name in names}
_FLOAT8: Final = re.compile(r"float8_?e\d|float8$|^fp8|hif8|hifloat8")
#: Two values packed in a byte are one element of a recorded shape.
_FLOAT4_PACKED: Final = re.compile(r"float4_e2m1fn_x2")
_FLOAT4: Final = re.compile(r"float4|^fp4")
#: `c10::ScalarType` as written for an argument such as ``out_dtype``.
_SCALAR_TYPES: Final = {
    0: "uint8", 1: "int8", 2: "int16", 3: "int32", 4: "int64", 5: "float16", 6: "float32",
    7: "float64", 11: "bool", 15: "bfloat16", 23: "float8_e5m2", 24: "float8_e4m3fn",
    25: "float8_e5m2fnuz", 26: "float8_e4m3fnuz",
}  # fmt: skip


def data_type(recorded: str) -> str | None:
    """Return the short name of a type, such as ``bf16``; None for no type of a tensor.

    Examples
    --------
    >>> data_type("c10::BFloat16"), data_type("FLOAT"), data_type("c10::Float8_e4m3fn")
    ('bf16', 'fp32', 'fp8')
    """
    return _look_up(recorded)[0]


def element_bytes(recorded: str) -> float | None:
    """Return the bytes of an element of a recorded type; None for no type of a tensor.

    Examples
    --------
    >>> element_bytes("c10::Half"), element_bytes("long int"), element_bytes("Scalar")
    (2, 8, None)
    """
    return _look_up(recorded)[1]


def type_of_code(code: object) -> str:
    """Return the name of a type that was recorded as a number of `c10::ScalarType`, else ""."""
    return _SCALAR_TYPES.get(code, "") if isinstance(code, int) else ""


def is_packed_fp4(recorded: str) -> bool:
    """Return whether each element of a recorded shape holds two fp4 values."""
    return _FLOAT4_PACKED.search(_plain(recorded)) is not None


def _plain(recorded: str) -> str:
    text = recorded.strip().lower()
    for prefix in ("c10::", "at::", "torch.", "dt_"):
        text = text.removeprefix(prefix)
    return text


def _look_up(recorded: str) -> tuple[str | None, float | None]:
    text = _plain(recorded)
    if text in _BY_NAME:
        return _BY_NAME[text]
    if _FLOAT8.search(text):
        return "fp8", 1
    if _FLOAT4_PACKED.search(text):
        return "fp4", 1
    if _FLOAT4.search(text):
        return "fp4", 0.5
    return None, None
