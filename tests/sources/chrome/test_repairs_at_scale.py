"""Text that is all damage: whatever is mended costs memory and calls in proportion to the text."""

from __future__ import annotations

import json
import random

import pytest

from nbprof.sources.chrome import escapes, repair, salvage, structure
from nbprof.sources.chrome.repair import repair_json
from tests.support.work import calls, peak

#: Text of n pieces that are all damage: what is repeated, around it, and how it counts.
DAMAGE = {
    "commas": ('[{"a": 1}', ", ,", '{"b": 2}]', "spare comma"),
    "one comma each": ("[", "1,,", "1]", "spare comma"),
    "controls": ('["', "\x01\x02", '"]', "control character"),
    "controls between letters": ('["', "\x01a", '"]', "control character"),
    "controls between values": ("[", "\x0b1,\0", "0]", "control character"),
    "no numbers": ("[", "NaN,", "0]", "not a number"),
    "bad escapes": ('["', "\\q", '"]', "bad escape"),
    "strings with bad escapes": ("[", '"\\q",', "0]", "bad escape"),
    "halves of pairs": ('["', "\\ud83d", '"]', "bad escape"),
    "objects": ("[", '{"a": 1}', "]", "missing comma"),
}

#: Text that no repair makes valid: quotes, brackets and backslashes that nobody closes.
NEVER = {
    "escaped quotes": '["\\"' + '\\"' * 20_000,
    "backslashes": '["' + "\\" * 40_000,
    "quotes": "[" + '"' * 40_001,
    "braces": "[" + "{" * 40_000,
    "blanks": "[,}" + " " * 40_000 + "{",
    "blanks after commas": "[" + (", " * 20_000) + "x",
}


def text_of(kind: str, count: int) -> bytes:
    start, piece, end, _ = DAMAGE[kind]
    return (start + piece * count + end).encode()


@pytest.mark.parametrize("kind", DAMAGE)
def test_text_that_is_all_damage_is_mended_and_counted(kind: str) -> None:
    fixed, repairs = repair_json(text_of(kind, 1000))
    json.loads(fixed)
    (one,) = repairs
    assert one.kind == DAMAGE[kind][3]
    assert one.example


@pytest.mark.parametrize("kind", DAMAGE)
def test_memory_is_a_small_multiple_of_the_text(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (structure, escapes, repair):
        monkeypatch.setattr(module, "_BLOCK", 1 << 12)
    text = text_of(kind, 20_000)
    fixed, _ = repair_json(text)
    assert peak(lambda: repair_json(text)) < 12 * (len(text) + len(fixed)) + 64 * (1 << 12)


@pytest.mark.parametrize("kind", DAMAGE)
def test_calls_grow_with_the_text_and_not_with_its_square(kind: str) -> None:
    small, large = (calls(lambda n=n: repair_json(text_of(kind, n))) for n in (200, 1600))
    assert large < 10 * small


@pytest.mark.parametrize("kind", ["controls", "controls between letters", "bad escapes"])
def test_damage_inside_a_string_costs_no_call_for_each_character(kind: str) -> None:
    assert calls(lambda: repair_json(text_of(kind, 4000))) < 400


@pytest.mark.parametrize("kind", NEVER)
def test_text_that_cannot_be_mended_is_left(kind: str) -> None:
    fixed, _ = repair_json(NEVER[kind].encode())
    with pytest.raises(ValueError, match=r"."):
        json.loads(fixed)
    assert len(fixed) <= 2 * len(NEVER[kind])


def test_bare_quotes_are_escaped_once_each() -> None:
    value = 'x"' * 5000
    fixed = salvage._escape_quotes(f'{{"name": "{value}", "ph": "X"}}'.encode())
    assert json.loads(fixed) == {"name": value, "ph": "X"}
    assert calls(lambda: salvage._escape_quotes(b'{"a":"' + b'x"' * 5000 + b'"}')) < 60


def test_values_without_an_end_are_looked_for_once() -> None:
    text = b'{"ph":"X",' + b'"a":"' * 5000
    assert salvage._escape_quotes(text) == text
    assert calls(lambda: salvage._escape_quotes(text)) < 20


@pytest.mark.parametrize("seed", range(4))
def test_blocks_find_what_the_whole_text_holds(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    pieces = [
        '"',
        '"',
        "\\",
        "\\u",
        "d83d",
        "\\ud83d",
        "\\ude00",
        "é",
        "x",
        "{",
        "}",
        "\n",
        ",",
        "1",
    ]
    texts = ["".join(rng.choices(pieces, k=rng.randint(0, 40))).encode() for _ in range(300)]
    whole = [repair_json(text) for text in texts]
    for module in (structure, escapes, repair):
        monkeypatch.setattr(module, "_BLOCK", rng.randint(1, 7))
    assert [repair_json(text) for text in texts] == whole
