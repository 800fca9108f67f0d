"""Any size of window gives the same rows as a plain reader."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from nbprof.sources.chrome.structure import last_boundary, scan
from tests.support.examples import examples
from tests.support.traces import (
    Event,
    in_order,
    kernel,
    model_rows,
    op,
    plain_rows,
    read_trace,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

# Names and arguments full of what JSON is made of.
TEXTS = st.text(
    st.sampled_from('{}[],:"\\ aé\n\u2028😀') | st.characters(codec="utf-8"), max_size=12
)
NAMES = TEXTS.filter(bool) | st.sampled_from(
    ['},{"ph":', '}, {"name": "x"', "ProfilerStep#3", "[memory"]
)
TIMES = st.integers(0, 10**12).map(lambda ns: ns / 1000)
SHAPES = st.lists(st.lists(st.integers(0, 99), max_size=3), max_size=3)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


def events(time: st.SearchStrategy[Any]) -> st.SearchStrategy[Event]:
    def build(category: str, args: st.SearchStrategy[dict[str, Any]]) -> Any:
        fixed = {"ph": "X", "cat": category, "args": args} if category else {"args": args}
        return st.fixed_dictionaries(
            {
                **{key: st.just(value) for key, value in fixed.items() if key != "args"},
                "name": NAMES,
                "pid": st.just(1),
                "tid": st.integers(1, 3),
                "ts": time,
                "dur": st.integers(0, 10**6).map(lambda ns: ns / 1000),
                "args": args,
            }
        )

    nested = st.lists(st.fixed_dictionaries({"ph": TEXTS, "name": TEXTS}), max_size=2)
    host = st.fixed_dictionaries(
        {}, optional={"External id": st.integers(1, 9), "Input Dims": SHAPES, "odd": ODD | nested}
    )
    device = st.fixed_dictionaries(
        {"device": st.integers(0, 70), "stream": st.integers(0, 9)},
        optional={
            "correlation": st.integers(1, 9),
            "grid": st.lists(st.integers(1, 9), max_size=3),
        },
    )
    call = st.fixed_dictionaries({}, optional={"correlation": st.integers(1, 9), "cbid": ODD})
    return st.one_of(
        build("cpu_op", host),
        build("user_annotation", host),
        build("cuda_runtime", call),
        build("kernel", device),
    )


def shuffled(event: Event, first: str) -> Event:
    """Return the event with another key in front."""
    return {first: event[first], **event} if first in event else event


TRACES = st.lists(
    st.builds(shuffled, events(TIMES), st.sampled_from(["ph", "name", "args", "ts"])),
    min_size=1,
    max_size=12,
)
SINCE_1970 = st.lists(
    events(st.integers(1712195495519695 * 1000, 1712195495519696 * 1000).map(lambda ns: ns)),
    min_size=1,
    max_size=6,
)
INDENTS = st.sampled_from([None, 0, 1])
#: Each example writes and reads a file.
FEWER = settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@FEWER
@given(TRACES, st.integers(1, 400), INDENTS, st.booleans(), st.booleans(), st.booleans())
def test_windows_of_any_size_give_the_rows_of_a_plain_reader(  # noqa: PLR0917 - drawn values
    tmp_path: Path,
    trace: list[Event],
    window: int,
    indent: int | None,
    header_first: bool,
    bare: bool,
    ascii_only: bool,
) -> None:
    header = {"note": 'a "traceEvents": [ in a text', "deviceProperties": [{"id": 0}, {"id": 1}]}
    content: Any = {**header, "traceEvents": trace}
    if not header_first:
        content = {"traceEvents": trace, **header}
    if bare:
        content = trace
    text = json.dumps(content, indent=indent, ensure_ascii=ascii_only)
    path = write(tmp_path / "a.json", text.encode("utf-8", "surrogatepass"))
    model = read_trace(path, window=window, strict=True)
    assert in_order(model_rows(model)) == in_order(plain_rows(trace))
    assert model.tables["devices"].num_rows == (0 if bare else 2)


@FEWER
@given(SINCE_1970, st.integers(1, 400))
def test_times_since_1970_are_exact_in_windows_of_any_size(
    tmp_path: Path, trace: list[Event], window: int
) -> None:
    text = json.dumps({"traceEvents": trace})
    plain = [dict(event) for event in trace]
    for event in plain:
        stamp = f"{event['ts'] // 1000}.{event['ts'] % 1000:03d}"
        text = text.replace(f'"ts": {event["ts"]}', f'"ts": {stamp}')
        event["ts"] = stamp
    model = read_trace(write(tmp_path / "a.json", text), window=window, strict=True)
    assert in_order(model_rows(model)) == in_order(plain_rows(plain))
    assert model.metadata["epoch_ns"] == min(event["ts"] for event in trace)


@given(st.lists(ODD, max_size=5), INDENTS)
def test_brackets_are_found_outside_of_strings_only(values: list[Any], indent: int | None) -> None:
    text = json.dumps(values, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    found = scan(text)
    assert found.closing == -1
    assert found.last_end == len(text)
    inside = scan(text[1:])
    assert inside.closing == len(text) - 2
    depth = 0
    for position, expected in zip(found.position.tolist(), found.depth.tolist(), strict=True):
        depth += 1 if text[position : position + 1] in b"[{" else -1
        assert depth == expected


@pytest.mark.parametrize(
    ("text", "end", "following"),
    [
        (b'{"ph":"X"}, {"name":"b"}', 10, 12),
        (b'{"ph":"X"},\n  {"ts": 1},{"cat":', 23, 24),
        (b'{"ph":"X"}, {"other": 1', -1, -1),
        (b"", -1, -1),
    ],
)
def test_the_last_gap_between_events_is_guessed(text: bytes, end: int, following: int) -> None:
    assert last_boundary(text) == (end, following)


def test_an_event_larger_than_the_window_is_read(tmp_path: Path) -> None:
    wide = {"many": [{"ph": "X", "name": str(i)} for i in range(3000)]}
    events_ = [{"ph": "X", "cat": "cpu_op", "name": n, "pid": 1, "tid": 1, "ts": 1, "dur": 1,
                "args": wide} for n in "abc"]  # fmt: skip
    model = read_trace(write(tmp_path / "a.json", events_), window=1000, strict=True)
    assert model.values("host", "name") == ["a", "b", "c"]


def test_windows_leave_nothing_of_their_text_behind(tmp_path: Path) -> None:
    """Columns must not keep windows alive: not through views, not through texts."""
    stack = "x" * 2000
    trace = [
        {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": i, "dur": 1,
         "args": {"Call stack": stack, "Input Dims": [[1, 2]], "junk": "y" * 2000}}
        for i in range(2000)
    ]  # fmt: skip
    path = write(tmp_path / "a.json", trace)
    model = read_trace(path, window=1 << 16)
    held = sum(table.nbytes for table in model.tables.values())
    assert held < path.stat().st_size / 20


def test_collectives_stand_in_the_order_of_the_file(tmp_path: Path) -> None:
    events = []
    for i in range(20):
        args = {"Collective name": "allreduce", "In msg nelems": i}
        events += [op("nccl", ts=10 * i, args=args), kernel("nccl", ts=10 * i + 1, **args)]
    path = write(tmp_path / "a.json", events)
    whole = read_trace(path).tables["collectives"]
    assert whole["in_elements"].to_pylist() == [i for i in range(20) for _ in range(2)]
    assert read_trace(path, window=1000).tables["collectives"].equals(whole)
