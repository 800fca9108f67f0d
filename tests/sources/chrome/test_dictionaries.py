"""Texts and threads as codes: the fast ways give what looking each value up gives."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from nbprof.sources.chrome.dictionaries import JsonTexts, Stacks, Threads
from nbprof.sources.chrome.events import Args
from nbprof.sources.defects import DefectLog

_SHAPES = Args(input_shapes=msgspec.Raw(b"[[2,3]]"))


def test_a_field_that_no_event_has_is_not_looked_up() -> None:
    texts, stacks = JsonTexts(DefectLog("")), Stacks()
    assert texts.encode_field([Args(), Args()], "input_shapes").tolist() == [-1, -1]
    assert stacks.encode(iter(["", ""]), 2).tolist() == [-1, -1]
    assert len(texts) == len(stacks) == 0


def test_a_field_that_some_events_have() -> None:
    texts = JsonTexts(DefectLog(""))
    assert texts.encode_field([Args(), _SHAPES, Args()], "input_shapes").tolist() == [-1, 0, -1]
    assert texts.texts == ["[[2, 3]]"]
    assert Stacks().encode(iter(["", "a;b", "a;b;"]), 3).tolist() == [-1, 0, 0]


@pytest.mark.parametrize(
    "batches",
    [
        [],
        [[(1, 7), (1, 8), (1, 7)]],
        [[(1, 7), (2, 7)], [(2, 7), (2, 9)], [(1, 9), (1, 7)]],
        [[(1, "7"), (1, 7), (1, None), (1, "main")], [("1", 7), ("1", 7.0)]],
    ],
)
def test_threads_by_process(batches: list[list[tuple[Any, Any]]]) -> None:
    threads, pairwise = Threads(), Threads()
    for batch in batches:
        pids, tids = ([pair[at] for pair in batch] for at in (0, 1))
        assert threads.encode(pids, tids).tolist() == [pairwise[pair] for pair in batch]
    assert threads.encode([], []).tolist() == []
    assert threads.keys_seen == pairwise.keys_seen
    assert (threads.unknown, threads.in_words) == (pairwise.unknown, pairwise.in_words)
    assert threads == pairwise
