from __future__ import annotations

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.export import csv as export
from nbprof.export.csv import csv_text


def test_numbers_keep_every_digit() -> None:
    table = pa.table({"a_us": [0.1, 1 / 3, 1e22], "b_ns": [2**62, -1, 0]})
    rows = list(csv.DictReader(io.StringIO(csv_text(table))))
    assert [float(row["a_us"]) for row in rows] == table["a_us"].to_pylist()
    assert [int(row["b_ns"]) for row in rows] == table["b_ns"].to_pylist()


def test_form_is_that_of_rfc_4180() -> None:
    table = pa.table({"name": ['a,"b"', "c\nd"], "calls": [1, 2]})
    assert csv_text(table) == 'name,calls\r\n"a,""b""",1\r\n"c\nd",2\r\n'


def test_missing_values_are_empty_and_flags_are_words() -> None:
    columns = {"x_us": pa.array([None, float("nan")]), "flag": [True, None], "name": [None, ""]}
    assert csv_text(pa.table(columns)) == "x_us,flag,name\r\n,true,\r\n,,\r\n"


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "=cmd|' /C calc'!A0"]
)
def test_formulas_are_neutralised_on_request(cell: str) -> None:
    table = pa.table({"name": [cell], "delta_us": [-5.0]})
    [row] = csv.reader(io.StringIO(csv_text(table, safe=True).partition("\r\n")[2], newline=""))
    assert row == ["'" + cell, "-5.0"]
    [row] = csv.reader(io.StringIO(csv_text(table).partition("\r\n")[2], newline=""))
    assert row == [cell, "-5.0"]


@given(st.lists(st.tuples(st.text(), st.integers(-(2**63), 2**63 - 1))))
def test_what_is_written_is_read_back(rows: list[tuple[str, int]]) -> None:
    schema = pa.schema([("name", pa.utf8()), ("count", pa.int64())])
    table = pa.table([[n for n, _ in rows], [c for _, c in rows]], schema=schema)
    read = list(csv.reader(io.StringIO(csv_text(table), newline="")))
    names = [name.replace("\0", "\N{REPLACEMENT CHARACTER}") for name, _ in rows]
    counts = [str(count) for _, count in rows]
    assert read == [["name", "count"], *map(list, zip(names, counts, strict=True))]


def test_rows_come_through_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    table = pa.table({"n": list(range(10))})
    whole = csv_text(table)
    monkeypatch.setattr(export, "ROWS_AT_A_TIME", 3)
    assert csv_text(table) == whole
