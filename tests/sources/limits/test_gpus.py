"""A figure about a device that is no number that fits is left out and counted, and never shown."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pytest

import nbprof
from nbprof.model.trace.schema import DEVICES
from nbprof.sources.limits.gpus import gpu_row
from tests.support.traces import op

if TYPE_CHECKING:
    from pathlib import Path

#: Figures of a device as PyTorch writes them, by their columns.
KEYS: Final = {
    "memory_bytes": "totalGlobalMem",
    "compute_major": "computeMajor",
    "compute_minor": "computeMinor",
    "multiprocessors": "numSms",
}
WRONG: Final = {
    "word": '"abc"',
    "digits": "1" + "0" * 400,
    "large": "1e30",
    "exponent": "1e999999",
    "negative": "-5",
    "list": "[1]",
}


def _devices(path: Path, figures: dict[str, str]) -> tuple[dict[str, Any], int]:
    written = ", ".join(f'"{KEYS[column]}": {figure}' for column, figure in figures.items())
    events = json.dumps([op("aten::a", 1, 5)])
    path.write_text(
        f'{{"deviceProperties": [{{"id": 0, "name": "A", {written}}}], "traceEvents": {events}}}'
    )
    model = nbprof.load(path, cache=False, progress=False).trace().model
    (row,) = model.tables["devices"].to_pylist()
    return row, sum(warning.count for warning in model.warnings)


@pytest.mark.parametrize("column", KEYS)
@pytest.mark.parametrize("wrong", WRONG)
def test_it_is_left_out_and_counted(tmp_path: Path, column: str, wrong: str) -> None:
    right = dict.fromkeys(KEYS, "8")
    row, counted = _devices(tmp_path / "a.pt.trace.json", {**right, column: WRONG[wrong]})
    assert counted == 1
    assert row == {"device": 0, "name": "A", **dict.fromkeys(KEYS, 8), column: -1}


@pytest.mark.parametrize("figure", ["null", "-1"])
def test_what_is_missing_is_not_counted(tmp_path: Path, figure: str) -> None:
    row, counted = _devices(tmp_path / "a.pt.trace.json", dict.fromkeys(KEYS, figure))
    assert counted == 0
    assert {row[column] for column in KEYS} == {-1}


def test_the_largest_figures_fit_into_their_columns() -> None:
    row = gpu_row(0, "A", **dict.fromkeys(KEYS, (1 << 31) - 1))
    assert pa.Table.from_pylist([row], schema=DEVICES).to_pylist() == [row]
    assert set(row) == set(DEVICES.names)
    too_large = gpu_row(0, "A", **dict.fromkeys(KEYS, 1 << 63))
    assert {too_large[column] for column in KEYS} == {-1}


def test_figures_may_be_texts_and_decimals(tmp_path: Path) -> None:
    figures = dict(zip(KEYS, ('"8589934592"', "9.0", '"0"', "132"), strict=True))
    row, counted = _devices(tmp_path / "a.pt.trace.json", figures)
    assert counted == 0
    assert [row[column] for column in KEYS] == [1 << 33, 9, 0, 132]
