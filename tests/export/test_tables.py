from __future__ import annotations

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from nbprof.analysis.advice.warnings import WARNINGS
from nbprof.export.table_formats import BINARY_FORMATS, BY_SUFFIX, FORMATS
from nbprof.export.tables import table_bytes
from nbprof.model.contract.table import make_table

DATA = {
    "kind": ["odd", "very odd"],
    "count": [12345, 2],
    "example": ['say "hi"', None],
    "level": ["warning", "note"],
}
TABLE = make_table(WARNINGS, DATA)


def test_json_is_a_list_of_rows_with_null_for_what_is_no_number() -> None:
    table = TABLE.append_column("x_us", pa.array([float("nan"), float("inf")]))
    rows = json.loads(table_bytes(table, "json"), parse_constant=pytest.fail)
    assert rows == [
        {"kind": "odd", "count": 12345, "example": 'say "hi"', "level": "warning", "x_us": None},
        {"kind": "very odd", "count": 2, "example": None, "level": "note", "x_us": None},
    ]
    assert json.loads(table_bytes(TABLE.slice(0, 0), "json")) == []


def test_parquet_and_arrow_give_the_table_back_with_its_meanings() -> None:
    parquet = pq.read_table(io.BytesIO(table_bytes(TABLE, "parquet")))
    arrow = pa.ipc.open_file(table_bytes(TABLE, "arrow")).read_all()
    for read in (parquet, arrow):
        assert read.equals(TABLE)
        assert read.schema.field("count").metadata == TABLE.schema.field("count").metadata


def test_every_format_can_be_written_and_no_other() -> None:
    for name in FORMATS:
        assert table_bytes(TABLE, name)
    assert set(BY_SUFFIX.values()) == set(FORMATS) > set(BINARY_FORMATS)
    with pytest.raises(ValueError, match="formats are text, csv, json, parquet, arrow"):
        table_bytes(TABLE, "xlsx")
