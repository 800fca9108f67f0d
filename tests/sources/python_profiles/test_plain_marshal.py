"""The reader of marshalled values: equal to `marshal`, whatever the version, and safe."""

from __future__ import annotations

import marshal
import random
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.sources.python_profiles.plain_marshal import DICT, PlainMarshal, PlainMarshalError

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**100), 2**100)
    | st.floats(allow_nan=False)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.tuples(inner, inner) | st.lists(inner, max_size=3),
    max_leaves=8,
)


@given(PLAIN, st.integers(0, marshal.version))
def test_values_of_all_versions(value: Any, version: int) -> None:
    assert PlainMarshal(marshal.dumps(value, version)).value() == value


def test_shared_values() -> None:
    name, row = "name", (7, 7, 0.5, 0.5)
    value = (name, name, row, row, [name, (row, name)])
    assert PlainMarshal(marshal.dumps(value)).value() == value


@pytest.mark.parametrize("version", range(marshal.version + 1))
@pytest.mark.parametrize("row", [(1, 1, 0.5, 0.5), (1000, 1000, 0.1, 0.2), (1, 2, 3, 4), 5])
def test_rows_in_one_step(row: Any, version: int) -> None:
    rows = [row, row, (700, 300, 0.25, 1e300)]
    data = marshal.dumps(rows, version)
    reader = PlainMarshal(data)
    assert reader.value() == rows
    again = PlainMarshal(data + b"0" * 40)
    again.position = 5  # after the head of the list
    if data[0] & 0x80:
        again._shared.append(None)
    assert [again.row() for _ in rows] == rows


def test_python_2() -> None:
    # {('a.py', 3, 'f'): (1L, 1, 0.5, 1.5)} and a second reference to an interned name.
    key = b"(" + struct.pack("<i", 3) + b"s\x04\0\0\0a.py" + b"i\x03\0\0\0" + b"t\x01\0\0\0f"
    again = b"(" + struct.pack("<i", 1) + b"R\0\0\0\0"
    long = b"l\x01\0\0\0\x01\0" + b"I" + struct.pack("<q", 2**40) + b"f\x030.5"
    reader = PlainMarshal(key + again + long)
    assert reader.value() == ("a.py", 3, "f")
    assert reader.value() == ("f",)
    assert [reader.value() for _ in range(3)] == [1, 2**40, 0.5]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"(\xff\xff\xff\x7f",
        b")\xffN",
        b"z\xff",
        b"u\xff\xff\xff\x7f",
        b"u\xff\xff\xff\xff",
        b"i\0",
        b"g\0\0",
        b"r\0\0\0\0",
        b"r\xff\xff\xff\xff",
        b"R\0\0\0\0",
        b"l\xff\xff\xff\x7f",
        b"l\x01\0\0\0",
        b"f\x03abc",
        b"c" * 100,
        b"?",
        b")\x01" * 100 + b"N",
    ],
)
def test_hostile(data: bytes) -> None:
    for read in (PlainMarshal(data).value, PlainMarshal(data).row):
        with pytest.raises(PlainMarshalError):
            read()


def test_code_is_refused() -> None:
    with pytest.raises(PlainMarshalError, match="type 'c'"):
        PlainMarshal(marshal.dumps(compile("1", "a", "eval"))).value()


def test_any_bytes() -> None:
    chance = random.Random(0)
    good = marshal.dumps({("a.py", 1, "f"): (1, 1, 0.1, 0.1, {("b.py", 2, "g"): (1, 1, 0.1, 0.1)})})
    for _ in range(2000):
        data = bytearray(good)
        for _ in range(chance.randrange(1, 4)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        reader = PlainMarshal(data)
        try:
            if reader.opens(DICT):
                while not reader.ends():
                    reader.value()
        except PlainMarshalError:
            pass
        assert reader.position <= len(data) + 256
