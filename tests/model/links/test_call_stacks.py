"""Call stacks: as recorded, rebuilt from frames, and for the backward pass."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import nbprof
from nbprof.analysis.grouping import texts_at
from nbprof.model.links.call_stacks import MOST_FRAMES, call_stack_of, call_stacks, stack_sources
from tests.support.examples import examples
from tests.support.models import Row, make_model

if TYPE_CHECKING:
    from pathlib import Path


def stacks_by_name(rows: list[Row]) -> dict[str, str | None]:
    model = make_model(rows)
    stacks = call_stacks(model)
    names = [model.values("host", "name")[code] for code in model.column("host", "name")]
    texts = [stacks.texts[code] if code >= 0 else None for code in stacks.code]
    assert [call_stack_of(model, row) or None for row in range(len(texts))] == texts
    return dict(zip(names, texts, strict=True))


def frame(name: str, start: int, end: int, **more: object) -> Row:
    return {"name": name, "start": start, "end": end, "kind": "python", **more}


def test_frames_enclose_the_innermost_first() -> None:
    found = stacks_by_name(
        [
            frame("train.py(9): <module>", 0, 100),
            frame("nn.Module: Linear_0", 10, 50, kind="module"),
            frame("<built-in method linear of type object at 0x7f00>", 12, 48),
            {"name": "aten::linear", "start": 13, "end": 47},
            {"name": "aten::mm", "start": 14, "end": 46},
            {"name": "aten::sum", "start": 60, "end": 70},
            {"name": "elsewhere", "start": 10, "end": 20, "tid": 2},
        ]
    )
    inner = "<built-in method linear of type>;nn.Module: Linear_0;train.py(9): <module>"
    assert found["aten::linear"] == found["aten::mm"] == inner
    assert found["aten::sum"] == "train.py(9): <module>"
    assert found["elsewhere"] is None


def test_what_was_recorded_is_kept() -> None:
    recorded = "a.py(1): f;b.py(2): g"
    found = stacks_by_name(
        [
            frame("c.py(3): h", 0, 100),
            {"name": "aten::mm", "start": 1, "end": 9, "call_stack": recorded},
        ]
    )
    assert found == {"c.py(3): h": None, "aten::mm": recorded}


def test_backward_has_the_stack_of_its_forward() -> None:
    found = stacks_by_name(
        [
            frame("model.py(4): forward", 0, 50),
            {"name": "aten::conv2d", "start": 1, "end": 9, "sequence": 7},
            {"name": "aten::relu", "start": 11, "end": 19, "sequence": 8},
            frame("train.py(5): step", 60, 200),
            {"name": "ConvBackward", "start": 70, "end": 99, "tid": 2, "sequence": 7},
            {"name": "aten::conv_backward", "start": 71, "end": 98, "tid": 2},
            {"name": "Lost", "start": 100, "end": 110, "tid": 2, "sequence": 99},
        ]
    )
    assert found["ConvBackward"] == found["aten::conv_backward"] == "model.py(4): forward"
    assert found["Lost"] is None


def test_without_frames_there_are_none() -> None:
    assert stacks_by_name([{"name": "aten::mm", "start": 0, "end": 9}]) == {"aten::mm": None}
    assert call_stacks(make_model()).texts == []


@st.composite
def nested(draw: st.DrawFn) -> list[Row]:
    """Properly nested slices of one thread."""
    rows: list[Row] = []

    def fill(start: int, end: int, depth: int) -> None:
        at = start
        while end - at > 3 and depth < 6 and draw(st.booleans()):
            stop = draw(st.integers(at + 2, end))
            kind = draw(st.sampled_from(["python", "module", "operator", "annotation"]))
            name = draw(st.sampled_from("abc"))
            rows.append({"name": name, "start": at, "end": stop, "kind": kind})
            fill(at + 1, stop - 1, depth + 1)
            at = stop + 1

    fill(0, 60, 0)
    return rows


@given(nested())
@settings(max_examples=examples(200), deadline=None)
def test_rebuilt_stacks_are_those_of_a_plain_loop(rows: list[Row]) -> None:
    model = make_model(rows)
    stacks = call_stacks(model)
    ordered = sorted(rows, key=lambda row: (row["start"], -row["end"]))
    for row, code in zip(ordered, stacks.code, strict=True):
        around = [
            other
            for other in ordered
            if other["start"] < row["start"]
            and other["end"] >= row["end"]
            and other["kind"] in {"python", "module"}
        ]
        expected = ";".join(other["name"] for other in reversed(around)) or None
        assert (stacks.texts[code] if code >= 0 else None) == expected
    assert np.unique(stacks.code[stacks.code >= 0]).tolist() == list(range(len(stacks.texts)))
    assert len(set(stacks.texts)) == len(stacks.texts)


def test_agrees_with_what_torch_writes_in_verbose_traces(shared_data: Path, tmp_path: Path) -> None:
    """Take the texts out of a trace that has both, rebuild them, and compare.

    Torch writes all nodes of the backward pass below `backward()`, and moves them when it loads.
    """
    source = shared_data / "torchcpu" / "verbose_stack" / "trace.json"
    trace = json.loads(source.read_text())
    torch_stacks: dict[tuple[str, int], str] = {}
    for event in trace["traceEvents"]:
        text = event.get("args", {}).pop("Call stack", None)
        if text is not None and event["cat"] == "cpu_op":
            torch_stacks[event["name"], round(event["ts"] * 1000)] = text.rstrip(";")
    path = tmp_path / "worker0.pt.trace.json"
    path.write_text(json.dumps(trace))
    model = nbprof.load(path, progress=False).trace().model
    stacks = call_stacks(model)
    base = trace["baseTimeNanoseconds"]
    starts = model.column("host", "start_ns") + model.metadata["epoch_ns"] - base
    names = model.values("host", "name")
    compared = different = 0
    moved = stack_sources(model) != np.arange(len(starts))
    assert moved.sum() == 138
    for name, start, code in zip(
        model.column("host", "name")[~moved],
        starts[~moved].tolist(),
        stacks.code[~moved].tolist(),
        strict=True,
    ):
        theirs = torch_stacks.get((names[name], start))
        if theirs is not None:
            compared += 1
            ours = stacks.texts[code] if code >= 0 else ""
            different += ours != _plain(theirs)
    assert compared > 190
    assert different == 0


def test_the_backward_pass_has_the_stacks_that_torch_gives_it(
    shared_data: Path, shared_oracle: Path, tmp_path: Path
) -> None:
    oracle = json.loads((shared_oracle / "torch_tables/torchcpu_verbose_stack.json").read_text())
    frames = oracle["by_name_stack"]["stack_n"]
    theirs = {
        (row["name"], _plain(";".join(row["stack"]))): row["count"]
        for row in oracle["by_name_stack"]["rows"]
        if re.fullmatch(r"\w+Backward0|aten::mm", row["name"])
    }
    trace = json.loads((shared_data / "torchcpu" / "verbose_stack" / "trace.json").read_text())
    for event in trace["traceEvents"]:
        event.get("args", {}).pop("Call stack", None)
    path = tmp_path / "worker0.pt.trace.json"
    path.write_text(json.dumps(trace))
    model = nbprof.load(path, progress=False).trace().model
    stacks, names = call_stacks(model), model.values("host", "name")
    ours = Counter(
        (names[name], ";".join(stacks.texts[code].split(";")[:frames]))
        for name, code in zip(model.column("host", "name"), stacks.code.tolist(), strict=True)
        if re.fullmatch(r"\w+Backward0|aten::mm", names[name])
    )
    assert ours == theirs
    assert len(ours) > 10


def test_a_node_that_runs_python_keeps_its_own_stack() -> None:
    node = {"sequence": 7, "forward_thread": 1}
    found = stacks_by_name(
        [
            frame("model.py(4): forward", 0, 50),
            {"name": "Mine", "start": 1, "end": 9, "sequence": 7, "forward_thread": 0},
            frame("train.py(5): step", 60, 200),
            {"name": "autograd::engine::evaluate_function: MineBackward", "start": 69, "end": 100,
             **node},
            {"name": "MineBackward", "start": 70, "end": 99, **node},
            {"name": "aten::mul", "start": 71, "end": 72},
            frame("mine.py(9): backward", 75, 98),
            {"name": "aten::mm", "start": 76, "end": 80},
            {"name": "NoForwardBackward", "start": 110, "end": 120, "sequence": 8,
             "forward_thread": 1},
        ]
    )  # fmt: skip
    assert found["MineBackward"] == found["aten::mul"] == "model.py(4): forward"
    assert found["autograd::engine::evaluate_function: MineBackward"] == "train.py(5): step"
    assert found["aten::mm"] == "mine.py(9): backward;train.py(5): step"
    assert found["NoForwardBackward"] == "train.py(5): step"


def _plain(text: str) -> str:
    from nbprof.model.links.call_stacks import _ADDRESS

    return _ADDRESS.sub(">", text)


def test_the_stack_of_one_row_of_a_deep_recursion_is_found_without_the_others() -> None:
    depth = 3000
    rows = [frame("a.py(1): f", i, 2 * depth - i) for i in range(depth)]
    model = make_model([*rows, {"name": "aten::mm", "start": depth, "end": depth}])
    assert call_stack_of(model, depth) == ";".join(["a.py(1): f"] * depth)
    assert call_stack_of(model, 0) == ""
    assert "call stacks" not in model._cache


def test_texts_are_built_where_they_are_asked_for() -> None:
    """A stack deeper than Python allows is cut, so that all texts grow with the trace only."""
    deep = MOST_FRAMES + 500
    host = [
        {"name": f"f{i}", "kind": "python", "start": i, "end": 9000 - i} for i in range(deep)
    ] + [{"name": "aten::mm", "start": deep, "end": deep + 1}]
    model = make_model(host)
    stacks = call_stacks(model)
    frames = stacks.texts[int(stacks.code[deep])].split(";")
    assert frames[:2] == [f"f{deep - 1}", f"f{deep - 2}"]
    assert len(frames) == MOST_FRAMES + 1
    assert frames[-1] == "… 500 more frames"
    assert len(stacks.texts) == deep
    assert len(stacks.texts[int(stacks.code[MOST_FRAMES])].split(";")) == MOST_FRAMES
    texts = texts_at(stacks.texts, stacks.code[[deep, 0]])
    assert texts.to_pylist() == [";".join(frames), None]


def test_only_texts_of_shown_stacks_are_built() -> None:
    """The stacks of frames themselves are in no table."""

    class Counted(list[str]):
        asked = 0

        def __getitem__(self, place: Any) -> Any:
            self.asked += 1
            return super().__getitem__(place)

    values = Counted(map(str, range(1000)))
    assert texts_at(values, np.array([7, -1, 7, 3])).to_pylist() == ["7", None, "7", "3"]
    assert values.asked == 2
