from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from nbprof.export.text.table import NARROWEST, cells, facts_text, printable, text_table
from nbprof.model.contract.table import Column, make_table

LONG = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>"


def test_columns_are_aligned_and_numbers_to_the_right() -> None:
    table = pa.table(
        {"name": ["a", None], "calls": [1234567, 5], "x_us": [1.0, None], "on": [True, False]}
    )
    assert text_table(table).splitlines() == [
        "name      calls   x_us  on",
        "a     1,234,567  1.000  yes",
        "-             5      -  no",
    ]


def test_the_head_names_a_unit_that_the_name_does_not() -> None:
    columns = (
        Column("host_us", pa.float64(), "us", ""),
        Column("size", pa.int64(), "bytes", ""),
        Column("bytes", pa.int64(), "bytes", ""),
    )
    table = make_table(columns, {"host_us": [1.0], "size": [1], "bytes": [1]})
    assert text_table(table).splitlines()[0].split("  ") == ["host_us", "size [bytes]", "bytes"]


def test_numbers_that_name_something_have_no_separators() -> None:
    table = pa.table({"step": [1200], "stream": [140000], "calls": [1200]})
    assert text_table(table).splitlines()[1].split() == ["1200", "140000", "1,200"]


def test_nothing_is_cut_without_a_terminal() -> None:
    assert LONG * 5 in text_table(pa.table({"name": [LONG * 5]}))


def test_in_a_terminal_texts_are_cut_in_the_middle_until_lines_fit() -> None:
    table = pa.table({"name": [LONG], "operator": [LONG[:30]], "total_us": [123456.789]})
    lines = text_table(table, width=60).splitlines()
    assert all(cells(line) <= 60 for line in lines)
    name, operator, total = lines[1].split("  ")
    assert total == "123,456.789"
    for shown, full in ((name, LONG), (operator, LONG[:30])):
        head, _, tail = shown.partition("…")
        assert full.startswith(head)
        assert full.endswith(tail)


def test_numbers_are_never_cut() -> None:
    table = pa.table({f"n{i}": [10**9] for i in range(20)})
    assert text_table(table, width=40) == text_table(table)


def test_control_characters_are_written_out() -> None:
    assert printable("a\nb\x1b[31mc\u202ed") == "a\\nb\\x1b[31mc\\u202ed"
    assert len(text_table(pa.table({"name": ["a\nb", "c\r\x1b[2J"]})).splitlines()) == 3


@given(st.lists(st.text(), min_size=1), st.integers(NARROWEST + 12, 200))
def test_lines_fit_whatever_the_names(names: list[str], width: int) -> None:
    table = pa.table({"name": pa.array(names, pa.utf8()), "calls": list(range(len(names)))})
    lines = text_table(table, width=width).split("\n")[:-1]
    assert len(lines) == len(names) + 1
    assert all(cells(line) <= width for line in lines)


def test_wide_characters_take_two_places() -> None:
    assert cells("模型") == 4
    assert cells("e\u0301") == 1


def test_facts_are_two_columns() -> None:
    assert facts_text([("a", 1), ("long", "x\ny")], indent="  ") == "  a     1\n  long  x\\ny\n"
