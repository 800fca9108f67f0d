"""Rows and numbers of CSV files compared with the standard library, including broken ones."""

from __future__ import annotations

import csv
import io
import math
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbprof.model.errors import TraceFormatError
from nbprof.sources.ascend.csv import numbers
from nbprof.sources.ascend.csv import rows as csv_rows
from nbprof.sources.ascend.csv.rows import Layout, parse_rows
from nbprof.sources.ascend.csv.table import read_csv
from nbprof.sources.chrome.times import NO_TIME
from nbprof.sources.defects import DefectLog
from tests.support.examples import examples

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ["a", "b", "c"]

CELLS = st.text(st.sampled_from('ab1.,;"\t \u00e9'), max_size=6)
MANY_LINES = st.text(st.sampled_from('a,;"\n\r'), max_size=8)
NUMBERS = st.one_of(
    st.decimals(-(10**15), 10**15, allow_nan=False, places=3).map(str),
    st.decimals(-1000, 1000, allow_nan=False).map(str),
    st.integers(-(2**70), 2**70).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.sampled_from(
        ["", "N/A", " N/A\t", "nan", "inf", "-inf", "x", "1_0", "1.", ".5", "+1", "--1"]
    ),
)


def rows_of(text: str | bytes, *multiline: str, plain: tuple[str, ...] = ()) -> Any:
    data = text if isinstance(text, bytes) else text.encode()
    return parse_rows(data, Layout(NAMES, frozenset(plain), frozenset(multiline)))


def lists(text: str | bytes, *multiline: str) -> list[list[Any]]:
    return [list(row.values()) for row in rows_of(text, *multiline)[0].to_pylist()]


def written(rows: list[list[str]], ending: str = "\n") -> str:
    file = io.StringIO()
    csv.writer(file, lineterminator=ending).writerows(rows)
    return file.getvalue()


def plainly(text: str) -> list[list[Any]]:
    """Return rows as the standard library reads them."""
    found = csv.DictReader(io.StringIO(text, newline=""), fieldnames=NAMES)
    return [[row[name] for name in NAMES] for row in found]


def column(*cells: str | None, plain: bool = False) -> pa.ChunkedArray:
    array = pa.array(cells, pa.utf8())
    return pa.chunked_array([array if plain else array.dictionary_encode()])


def csv_file(path: Path, data: bytes, *, strict: bool = False) -> Any:
    path.write_bytes(data)
    defects = DefectLog(str(path), strict=strict)
    return read_csv(path, defects, lambda _: None), defects


@given(
    st.lists(st.lists(st.one_of(CELLS, MANY_LINES), min_size=3, max_size=3), max_size=8),
    st.sampled_from(["\n", "\r\n"]),
)
def test_rows_are_those_of_the_standard_library(rows: list[list[str]], ending: str) -> None:
    text = written(rows, ending)
    assert lists(text, *NAMES) == plainly(text)


@given(st.lists(st.lists(CELLS, min_size=1, max_size=5), min_size=1, max_size=12))
def test_rows_of_any_length_are_padded_and_cut_as_there(rows: list[list[str]]) -> None:
    text = written(rows)
    table, odd = rows_of(text)
    assert [list(row.values()) for row in table.to_pylist()] == plainly(text)
    parsed = list(csv.reader(io.StringIO(text, newline="")))
    assert odd.short == sum(0 < len(row) < 3 for row in parsed)
    assert odd.long == sum(len(row) > 3 for row in parsed)


@settings(max_examples=examples(30))
@given(st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=1, max_size=40))
def test_where_odd_rows_stand_does_not_depend_on_blocks(rows: list[list[str]]) -> None:
    text = written(rows)
    block = csv_rows._BLOCK
    csv_rows._BLOCK = 32
    try:
        assert lists(text) == plainly(text)
    finally:
        csv_rows._BLOCK = block


def test_rows_longer_than_a_block_are_read() -> None:
    long = "x;\n" * 4_000_000
    table, odd = rows_of(f'1,2,3\n4,"{long}",6\n7,8,9\n', "b")
    assert table.column("b").to_pylist() == ["2", long, "8"]
    assert odd == type(odd)()


def test_a_file_that_ends_in_a_row_lacks_that_row() -> None:
    table, odd = rows_of("1,2,3\n4,5")
    assert table.num_rows == 1
    assert (odd.cut, odd.short, odd.first) == (1, 0, "the file ends in the midst of row 2")
    assert lists("1,2,3\n4,5,6") == [["1", "2", "3"], ["4", "5", "6"]]  # as some editors save it
    assert lists('1,2,3\n4,"5') == [["1", "2", "3"]]
    assert lists("1,2\n3,4,5") == [["1", "2", None], ["3", "4", "5"]]


def test_an_open_quote_swallows_no_rows() -> None:
    rest = "".join(f"{i},{i},{i}\n" for i in range(5))
    plain = plainly(rest)
    table, odd = rows_of(f'1,"2,3\n{rest}')
    assert [list(row.values()) for row in table.to_pylist()] == [["1", "2,3", None], *plain]
    assert odd.quotes == 1
    # Between two of them, all is one cell with as many fields round it as any other row.
    table, odd = rows_of(f'1,"2,3\n{rest}4,"5,6\n{rest}')
    assert [list(row.values()) for row in table.to_pylist()] == [
        ["1", "2", "3"],
        *plain,
        ["4", "5", "6"],
        *plain,
    ]
    assert odd.quotes == 1
    # Where cells may have several lines, that is what they have.
    text = f'1,"2,3\n{rest}4,"5,6\n'
    assert lists(text, "b") == plainly(text)


def test_a_row_with_lines_in_a_cell_stays_one_although_it_is_short() -> None:
    assert lists('1,"2\nx\ny"\n4,5,6\n', "b") == [["1", "2\nx\ny", None], ["4", "5", "6"]]
    assert lists('1,"2\nx,y,z"\n', "b") == [["1", "2\nx,y,z", None]]
    assert lists('"1,2,3\nx,"y",z\n', "b") == [["1,2,3", None, None], ["x", "y", "z"]]


def test_all_rows_may_have_a_field_too_many_or_too_few() -> None:
    count = 100_000  # not one by one
    table, odd = rows_of("1,2,3,\n" * count)
    assert (table.num_rows, odd.long, table.column("c")[-1].as_py()) == (count, count, "3")
    table, odd = rows_of("1,2\n" * count + "4,5,6\n")
    assert (table.num_rows, odd.short) == (count + 1, count)
    assert table.slice(count - 1).to_pylist() == [
        {"a": "1", "b": "2", "c": None},
        {"a": "4", "b": "5", "c": "6"},
    ]


@pytest.mark.parametrize("text", ["", "\n", "\n\r\n\n", "1", '"', ",", ",,,,\n", "\0,1,2\n"])
def test_scraps_break_nothing(text: str) -> None:
    rows_of(text)


@given(st.text(st.sampled_from('a1,"\n\r\t'), max_size=60))
def test_nothing_that_is_text_breaks_it(text: str) -> None:
    table, _ = rows_of(text)
    assert table.column_names == NAMES


@pytest.mark.parametrize("plain", [False, True])
@given(cells=st.lists(NUMBERS, max_size=20))
def test_numbers_are_exact(cells: list[str], plain: bool) -> None:
    floats, integers = (
        read(column(*cells, plain=plain)) for read in (numbers.floats, numbers.integers)
    )
    times = numbers.nanoseconds(column(*cells, plain=plain))
    for at, cell in enumerate(cells):
        text = cell.strip()
        if text in {"", "N/A"}:
            assert math.isnan(floats.values[at])
            assert (integers.values[at], times.values[at]) == (-1, NO_TIME)
            assert not any((floats.bad[at], integers.bad[at], times.bad[at]))
            continue
        if not numbers.is_number(text):
            assert floats.bad[at]
            assert integers.bad[at]
            assert times.bad[at]
            continue
        exact = Decimal(text)
        assert floats.values[at] == float(text)
        whole = exact == exact.to_integral_value() and abs(exact) < 2**63
        assert (integers.values[at], integers.bad[at]) == ((int(exact) if whole else -1), not whole)
        if abs(exact) <= 10**15:
            assert times.values[at] == int((exact * 1000).to_integral_value())


def test_the_last_digit_of_a_time_is_kept() -> None:
    cells = ["1736405443881410.320\t", "1736405443881410.321", "1695115378713661", "1.69512E+15"]
    found = numbers.nanoseconds(column(*cells, None))
    assert found.values.tolist() == [
        1736405443881410320,
        1736405443881410321,
        1695115378713661000,
        1695120000000000000,
        NO_TIME,
    ]
    assert numbers.nanoseconds(column("4611686018427387904")).bad.all()  # after the year 2112


def test_texts_are_stripped_and_each_kept_once() -> None:
    found = numbers.texts(column("a\t", " a", "N/A", "", None, "b\u00e9"))
    assert found.to_pylist() == ["a", "a", None, None, None, "b\u00e9"]
    assert sorted(filter(None, found.dictionary.to_pylist())) == ["a", "b\u00e9"]
    parts = pa.chunked_array([column("x", "y").chunk(0), column("y", "z").chunk(0)])
    assert numbers.texts(parts).to_pylist() == ["x", "y", "y", "z"]
    assert numbers.texts(pa.chunked_array([], pa.utf8())).to_pylist() == []


HEADERS = [
    b"Name,Size\n",
    b"\xef\xbb\xbfName,Size\r\n",
    b"\n\nName , Size\t\n",
    b'"Name","Size"\n',
    b"Name,Size,\n",
]


@pytest.mark.parametrize("header", HEADERS)
def test_columns_go_by_name(tmp_path: Path, header: bytes) -> None:
    row = b"x,1,\n" if header.count(b",") == 2 else b"x,1\n"
    table, defects = csv_file(tmp_path / "a.csv", header + row)
    assert table.names == ["Name", "Size"]
    assert table.cells("Name").to_pylist() == ["x"]
    assert table.cells("None", "Size").to_pylist() == ["1"]
    assert table.cells("None").to_pylist() == [None]
    assert defects.found() == []
    with pytest.raises(TraceFormatError, match="it has no column 'Other'"):
        table.need("Name", "Other")


def test_a_name_that_comes_twice_counts_once(tmp_path: Path) -> None:
    table, _ = csv_file(tmp_path / "a.csv", b"a,b,a\n1,2,3\n")
    assert (table.names, table.cells("a").to_pylist()) == (["a", "b"], ["1"])


def test_other_encodings_are_read_as_far_as_they_can_be(tmp_path: Path) -> None:
    table, defects = csv_file(tmp_path / "a.csv", "a,b\n1,\u4e2d\n".encode("utf-16"))
    assert (table.cells("b").to_pylist(), defects.found()) == (["\u4e2d"], [])
    data = "a,b\n1,\u4e2d\u6587\n2,x\n".encode("gbk")
    table, defects = csv_file(tmp_path / "a.csv", data)
    assert (table.rows, table.cells("b").to_pylist()[1]) == (2, "x")
    assert [kind for kind, *_ in defects.found()] == ["not UTF-8"]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b" , \n1,2\n"])
def test_a_file_without_a_header_is_refused(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(TraceFormatError, match="it is empty"):
        csv_file(tmp_path / "a.csv", data)


def test_what_is_odd_is_counted_or_raised(tmp_path: Path) -> None:
    data = b'a,b,c\n1,2\n1,2,3,4\n1,"2,3\n4,5,6\n7'
    table, defects = csv_file(tmp_path / "a.csv", data)
    assert table.rows == 4
    assert [(kind, count) for kind, count, _ in defects.found()] == [
        ("rows of the wrong length", 2),
        ("open quotes", 1),
        ("cut off", 1),
    ]
    assert defects.found()[0][2] == "a.csv: row 1 has 2 fields, not 3"
    with pytest.raises(TraceFormatError, match=r"rows of the wrong length.*row 1"):
        csv_file(tmp_path / "a.csv", data, strict=True)


def test_values_are_right_whatever_the_dictionaries_of_chunks() -> None:
    chunks = [column("1", "2").chunk(0), column("2", "x", None).chunk(0), column("3").chunk(0)]
    found = numbers.floats(pa.chunked_array(chunks))
    np.testing.assert_array_equal(found.values, [1, 2, 2, np.nan, np.nan, 3])
    assert found.bad.tolist() == [False, False, False, True, False, False]
