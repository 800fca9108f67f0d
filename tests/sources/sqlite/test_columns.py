"""Both readers of columns return what plain queries do."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from nbprof.sources.defects import DefectLog
from nbprof.sources.sqlite import columns
from nbprof.sources.sqlite.database import Database

if TYPE_CHECKING:
    from pathlib import Path

#: More rows than one batch, with NULL, the largest numbers, and text that is no number.
_ROWS: list[tuple[Any, Any]] = [
    (1, None),
    (-(2**63), 2**63 - 1),
    ("7", "text"),
    *((at, 3 * at) for at in range(70_000)),
]
_EXPECTED = [(1, -1), (-(2**63), 2**63 - 1), (7, -1), *_ROWS[3:]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database with a table of two columns."""
    with closing(sqlite3.connect(tmp_path / "a b.sqlite")) as out:
        out.execute('CREATE TABLE "the table" ("start", "end")')
        out.executemany('INSERT INTO "the table" VALUES (?, ?)', _ROWS)
        out.commit()
    return tmp_path / "a b.sqlite"


@pytest.fixture(params=["standard library", "Arrow"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Choose a reader."""
    if request.param == "Arrow":
        pytest.importorskip("adbc_driver_sqlite")

        def fail(*_: object) -> None:
            pytest.fail("the standard library had to read what the Arrow reader could not")

        monkeypatch.setattr(columns, "_with_standard_library", fail)
    else:
        monkeypatch.setattr(columns, "_arrow_reader", lambda: None)


@pytest.mark.usefixtures("reader")
def test_every_value(path: Path) -> None:
    told: list[int] = []
    defects = DefectLog("a")
    with Database(path, defects, told.append) as database:
        block = database.integers("the table", ("start", "lacking", "end"))
    assert [one[:2] for one in defects.found()] == [("bad numbers", 1)]
    assert list(zip(block["start"].tolist(), block["end"].tolist(), strict=True)) == _EXPECTED
    assert (block["lacking"] == -1).all()
    assert told == sorted(told)
    assert told[-1] == len(_ROWS)


@pytest.mark.usefixtures("reader")
def test_a_condition(path: Path) -> None:
    with Database(path, DefectLog("a")) as database:
        block = database.integers("the table", ("end",), where='"end" > 3')
        nothing = database.integers("another", ("end",))
    np.testing.assert_array_equal(block["end"][2:], np.arange(6, 210_000, 3))
    assert nothing.rows == 0
