"""Search of slices by name, compared with a walk over all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import match_names
from nbprof.timeline import search
from nbprof.timeline.curves.minimap import COLUMNS
from nbprof.timeline.lanes.lane_sets import lane_set
from nbprof.timeline.lanes.lanes import LaneSet
from nbprof.timeline.search import find
from nbprof.timeline.slices import Slices
from tests.analysis.generated import LENGTH, traces
from tests.support.models import make_model

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from nbprof.model.trace.model import TraceModel

TEXTS = st.sampled_from(["aten", "ATEN", "/add|gemm/", "cuda", "nowhere", "e", "", "/^aten/"])


def _places(model: TraceModel, wanted: str) -> list[tuple[int, int, int]]:
    """Return (start, row, id) of all slices with a text in their name, in order."""
    names = [name for side in ("host", "device") for name in model.tables[side]["name"].to_pylist()]
    starts = [t for side in ("host", "device") for t in model.tables[side]["start_ns"].to_pylist()]
    rows = lane_set(model).row.tolist()
    tests: dict[str, Callable[[str], bool]] = {
        "/add|gemm/": lambda name: "add" in name or "gemm" in name,
        "/^aten/": lambda name: name.startswith("aten"),
        "": lambda name: not name,
    }
    test = tests.get(wanted) or (lambda name: wanted.lower() in name.lower())
    return sorted(
        (starts[i], rows[i], i) for i, name in enumerate(names) if rows[i] >= 0 and test(name)
    )


@given(traces(), TEXTS, st.sampled_from([-1, 0, 1]), st.integers(0, LENGTH + 20), st.data())
def test_hits_equal_a_walk(
    model: TraceModel, text: str, direction: int, from_ns: int, data: st.DataObject
) -> None:
    places = _places(model, text)
    count = len(lane_set(model).row)
    from_slice = data.draw(st.none() | st.integers(0, max(count - 1, 0)))
    if count == 0:
        from_slice = None
    found = find(model, text, direction=direction, from_slice=from_slice, from_ns=from_ns)
    assert found.count == len(places)
    if not places:
        assert (found.index, found.hit, found.columns) == (0, None, [])
        return
    here = (from_ns, -1, -1)
    if from_slice is not None:
        starts = [t for s in ("host", "device") for t in model.tables[s]["start_ns"].to_pylist()]
        here = (starts[from_slice], int(lane_set(model).row[from_slice]), from_slice)
    later = [place for place in places if (place >= here if direction == 0 else place > here)]
    earlier = [place for place in places if place < here]
    expected = (earlier or places)[-1] if direction < 0 else (later or places)[0]
    assert found.hit is not None
    assert (found.hit.start_ns, found.hit.row, found.hit.slice) == expected
    assert found.index == places.index(expected) + 1
    end = max(model.metadata["end_ns"], 1)
    assert found.columns == sorted(
        {min(int(start * (COLUMNS / end)), COLUMNS - 1) for start, _, _ in places}
    )


def test_next_and_previous_go_round() -> None:
    rows = [{"name": name, "start": i * 10, "end": i * 10 + 5} for i, name in enumerate("abab")]
    model = make_model(rows)
    hits = []
    at = None
    for _ in range(3):
        found = find(model, "b", direction=1, from_slice=at)
        assert found.hit is not None
        at = found.hit.slice
        hits.append((found.index, found.hit.start_ns))
    assert hits == [(1, 10), (2, 30), (1, 10)]
    back = find(model, "b", direction=-1, from_slice=at).hit
    assert back is not None
    assert back.start_ns == 30
    assert find(model, "b", direction=0, from_slice=at).index == 1
    assert find(model, "b", direction=1, from_slice=99).index == 1
    assert find(model, "b", from_ns=11).index == 2


def test_a_bad_expression_is_told() -> None:
    with pytest.raises(FilterError, match="regular expression"):
        find(make_model([{"name": "a", "start": 0, "end": 1}]), "/(/")


def test_many_slices_are_searched_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only distinct names are compared, not those of every slice."""
    compared = []

    def match(names: Sequence[str], text: str) -> Any:
        compared.append(len(names))
        return match_names(names, text)

    monkeypatch.setattr(search, "match_names", match)
    rows = 1_000_000
    codes = np.random.default_rng(2).integers(0, 500, rows).astype(np.int32)
    start = np.arange(rows, dtype=np.int64) * 100
    slices = Slices(
        start=start,
        end=start + 60,
        name=codes,
        category=np.zeros(rows, np.uint8),
        names=[f"aten::op{i}" for i in range(500)],
        host_names=500,
        host_rows=rows,
    )
    row = np.zeros(rows, np.int32)
    model = make_model(metadata={"end_ns": rows * 100})
    model.cached("slices", lambda: slices)
    model.cached(("lanes", "thread"), lambda: LaneSet((), (), row, row, row, 1))
    for text in ("aten", "op77"):
        found = find(model, text, direction=1, from_ns=rows * 50)
        assert found.count == (rows if text == "aten" else int((codes == 77).sum()))
        assert found.hit is not None
        assert found.hit.start_ns >= rows * 50
    assert sum(compared) == 2 * len(slices.names)
