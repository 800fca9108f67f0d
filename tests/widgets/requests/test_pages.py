"""Pages of tables compared with sorting and searching in plain Python."""

from __future__ import annotations

import math
import re
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.session.table_cache import RecentCache
from tests.conftest import ROOT
from tests.widgets.conftest import Page, table_of

TEXTS = st.one_of(st.none(), st.text("aAbB:<", max_size=4))
FLOATS = st.one_of(st.none(), st.floats(-5, 5).map(lambda x: round(x, 1)))
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": TEXTS,
            "operator": TEXTS,
            "calls": st.one_of(st.none(), st.integers(0, 3)),
            "time_us": FLOATS,
            "used": st.one_of(st.none(), st.booleans()),
        }
    ),
    max_size=12,
)
SCHEMA = pa.schema(
    [
        ("name", pa.utf8()),
        ("operator", pa.utf8()),
        ("calls", pa.int64()),
        ("time_us", pa.float64()),
        ("used", pa.bool_()),
    ]
)


def make(rows: list[dict[str, Any]]) -> pa.Table:
    return pa.Table.from_pylist(rows, SCHEMA)


def slow_sort(rows: list[dict[str, Any]], column: str, direction: str) -> list[dict[str, Any]]:
    """Insert row after row behind those that do not come after it; nulls last."""

    def before(one: Any, other: Any) -> bool:
        if one is None or other is None:
            return other is None and one is not None
        if isinstance(one, str):
            one, other = one.lower(), other.lower()
        return one > other if direction == "desc" else one < other

    done: list[dict[str, Any]] = []
    for row in rows:
        at = len(done)
        while at and before(row[column], done[at - 1][column]):
            at -= 1
        done.insert(at, row)
    return done


@given(ROWS, st.sampled_from(SCHEMA.names), st.sampled_from(["asc", "desc"]))
def test_sort(rows: list[dict[str, Any]], column: str, direction: str) -> None:
    found = pages.sort_rows(make(rows), (column, direction)).to_pylist()
    assert found == slow_sort(rows, column, direction)


@given(ROWS, st.text("aAbB:<", max_size=2))
def test_search_for_a_part_of_a_name(rows: list[dict[str, Any]], text: str) -> None:
    found = pages.search_rows(make(rows), text).to_pylist()

    def holds(cell: str | None) -> bool:
        return cell is not None and text.lower() in cell.lower()

    assert found == [r for r in rows if not text or holds(r["name"]) or holds(r["operator"])]


@given(ROWS, st.sampled_from(["/^a/", "/b$/", "/a|:/", "/[<:]+/", "/a.b/"]))
def test_search_by_pattern(rows: list[dict[str, Any]], text: str) -> None:
    pattern = re.compile(text[1:-1], re.IGNORECASE)
    found = pages.search_rows(make(rows), text).to_pylist()
    expected = [r for r in rows if any(pattern.search(r[c]) for c in ("name", "operator") if r[c])]
    assert found == expected


@given(ROWS)
def test_maxima_sums_and_hidden_columns(rows: list[dict[str, Any]]) -> None:
    table = make(rows)

    def there(column: str) -> list[Any]:
        return [row[column] for row in rows if row[column] is not None]

    expected = {c: max(there(c)) for c in ("calls", "time_us") if there(c)}
    assert pages.maxima(table) == expected
    added = pages.sums(table, ("calls", "time_us", "not there"))
    assert set(added) == set(expected)
    assert all(math.isclose(added[c], sum(there(c)), abs_tol=1e-9) for c in added)
    hidden = [c for c in SCHEMA.names if not there(c)] if rows else []
    assert pages.hidden_columns(table) == hidden


def test_maxima_leave_out_what_json_cannot_say() -> None:
    table = pa.table({"x": [math.inf, 1.0], "y": pa.array([math.nan, None])})
    assert pages.maxima(table) == {}


@given(ROWS, st.lists(st.fixed_dictionaries({"name": TEXTS, "calls": st.integers(0, 3)})))
def test_selected_rows(rows: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> None:
    found = pages.matching_rows(make(rows), wanted).to_pylist()
    keys = [(w["name"], w["calls"]) for w in wanted]
    assert found == [row for row in rows if (row["name"], row["calls"]) in keys]


@given(ROWS)
def test_arrow_bytes_read_back(rows: list[dict[str, Any]]) -> None:
    table = make(rows)
    assert table_of(to_ipc(table)).equals(table)
    assert table_of(to_ipc(pa.concat_tables([table, table]))).num_rows == 2 * len(rows)


@pytest.mark.parametrize("script", ["offline/tables/order.ts", "export/python.ts"])
def test_scripts_search_the_same_columns(script: str) -> None:
    """The scripts are separate, and share no module that the first script would have to hold."""
    text = (ROOT / "js/src" / script).read_text("utf-8")
    for name, wanted in (("SEARCHED", pages.SEARCHED), ("SIZES", pages.SIZES)):
        (found,) = re.findall(rf"^const {name} = (\[.*?\]);", text, re.DOTALL | re.MULTILINE)
        assert re.findall(r'"(\w+)"', found) == list(wanted), name


@pytest.mark.parametrize("table", ["operators", "kernels", "user_events", "steps", "warnings"])
@pytest.mark.parametrize("search", ["", "con", "/^a/", "nothing like it"])
def test_pages_put_together_are_the_whole_table(page: Page, table: str, search: str) -> None:
    whole = page.view.trace.table(table).to_pylist()
    column = next(iter(page.view.trace.table(table).column_names))
    searched = [c for c in pages.SEARCHED if whole and c in whole[0]]
    text = search[1:-1] if search.startswith("/") else re.escape(search)
    pattern = re.compile(text, re.IGNORECASE)
    if search:
        whole = [r for r in whole if any(r[c] and pattern.search(r[c]) for c in searched)]
    rows: list[dict[str, Any]] = []
    while True:
        params = {"table": table, "search": search, "sort": [column, "desc"]}
        reply, buffers = page.ask("page", state=page.state(), offset=len(rows), limit=2, **params)
        rows += table_of(buffers[0]).to_pylist()
        if len(rows) >= reply["result"]["total"]:
            break
    assert rows == slow_sort(whole, column, "desc")
    assert ("empty" in reply["result"]) == (not whole)


def test_a_cache_forgets_what_was_used_longest_ago() -> None:
    cache = RecentCache(2)
    made: list[str] = []

    def get(key: str) -> str:
        return cache.get(key, lambda: made.append(key) or key.upper())

    assert [get(k) for k in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"]
    assert len(cache) == 2
    cache.clear()
    assert len(cache) == 0


def test_a_cache_keeps_no_more_bytes_than_it_may() -> None:
    cache = RecentCache(9, most_bytes=100)
    sizes = {"a": 30, "b": 30, "c": 40, "large": 500}
    tables = {key: pa.table({"a": pa.array([0] * n, pa.int8())}) for key, n in sizes.items()}

    for key in "abc":
        cache.get(key, lambda key=key: tables[key])
    assert len(cache) == 3
    cache.get("large", lambda: tables["large"])
    assert len(cache) == 1, "the newest stays, however large it is"
    assert cache.get("large", lambda: None) is tables["large"]
    cache.get("a", lambda: tables["a"])
    assert len(cache) == 1


def test_names_sort_as_they_are_shown_and_launches_by_their_size() -> None:
    rows = [
        {"name": "void b<int>(int)", "grid": "[98, 2, 64]"},
        {"name": "c", "grid": "[8192, 1, 1]"},
        {"name": "Void", "grid": None},
        {"name": "a", "grid": "[100000, 1, 1]"},
    ]
    table = pa.Table.from_pylist(rows)
    names = pages.sort_rows(table, ("name", "asc"))["name"].to_pylist()
    assert names == ["a", "void b<int>(int)", "c", "Void"]
    for direction, sizes in (
        ("desc", ["[100000, 1, 1]", "[98, 2, 64]", "[8192, 1, 1]", None]),
        ("asc", ["[8192, 1, 1]", "[98, 2, 64]", "[100000, 1, 1]", None]),
    ):
        assert pages.sort_rows(table, ("grid", direction))["grid"].to_pylist() == sizes
