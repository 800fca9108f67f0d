"""No output of the command line, and no text summary, contains a control character."""

from __future__ import annotations

import json
import os
import re
import sys
import warnings
from typing import TYPE_CHECKING, Any, Final

import pytest

import nbprof as nb
from nbprof.cli import output
from nbprof.model.visible_text import printable, visible
from tests.cli.conftest import trace_json

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.running import Call

#: Sets the title of a terminal, changes its colour by a C1 control, and turns text around.
ATTACK: Final = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066\u200f\b"
FORBIDDEN: Final = re.compile(
    "[\0-\t\v-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f]"
)


@pytest.fixture
def attack(tmp_path: Path) -> Path:
    """A trace with escape sequences in all texts, and a file beside it that is none."""
    folder = tmp_path / f"run{ATTACK}"
    folder.mkdir()
    content = trace_json()
    for event in content["traceEvents"]:
        event["name"] += ATTACK
        event["args"] = {**event["args"], "Call stack": f"a.py(1): f{ATTACK}"}
    content["deviceProperties"][0]["name"] += ATTACK
    content["host_name"] = ATTACK
    more: list[dict[str, Any]] = [{"ph": ATTACK, "ts": 1}, {"ph": "X", "cat": ATTACK, "ts": 1200}]
    more.append({"ph": "X", "cat": "cpu_op", "name": ATTACK, "pid": 1, "tid": ATTACK, "ts": 1300})
    content["traceEvents"] += more
    (folder / f"w{ATTACK}.pt.trace.json").write_text(json.dumps(content))
    (folder / f"bad{ATTACK}.pt.trace.json").write_text("{" + ATTACK)
    return tmp_path


COMMANDS: Final = (
    ("info",),
    ("info", "--heads"),
    ("info", "--run", ATTACK),
    ("table", "warnings"),
    ("table", "skipped"),
    ("table", "runs"),
    ("table", "operators"),
    ("table", "operators", "--group-by", "name+stack"),
    ("table", "steps", "--worker", ATTACK),
    ("table", "steps", "--columns", ATTACK),
    ("table", "steps", "--name", f"/({ATTACK}/"),
    ("table", f"no{ATTACK}"),
    ("table", "steps", "-o", f"/no{ATTACK}/x"),
    ("trace", "-o", f"/no{ATTACK}/x"),
    ("html", "-o", f"/no{ATTACK}/x"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: " ".join(map(printable, words)))
def test_no_command_prints_control_characters(
    nbprof: Call, attack: Path, words: tuple[str, ...]
) -> None:
    result = nbprof(words[0], attack, *words[1:])
    said = result.text + result.err
    assert not FORBIDDEN.search(said)
    assert "\\x1b]0;owned\\x07\\x9b31m\\u202e" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("form", ["csv", "json"])
def test_data_stay_exact_in_a_pipe_and_not_on_a_terminal(
    nbprof: Call, attack: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("table", attack, "operators", "--format", form)
    assert "\u202e" in nbprof(*words).text
    monkeypatch.setattr(output, "is_terminal", lambda: True)
    said = nbprof(*words).text
    assert not FORBIDDEN.search(said)
    assert "\\u202e" in said


def test_a_bug_is_a_message_without_control_characters(
    nbprof: Call, attack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ValueError(ATTACK)

    monkeypatch.setattr("nbprof.cli.info.load", broken)
    result = nbprof("info", attack)
    assert result.status == 1
    assert "bug" in result.err
    assert not FORBIDDEN.search(result.err)


def test_texts_of_objects_and_errors(attack: Path) -> None:
    profile = nb.load(attack, cache=False)
    trace = profile.trace()
    texts = [repr(profile), repr(trace), repr(nb.Explorer(profile)), repr(nb.load(trace.path))]
    for raising in (
        lambda: nb.load(attack / f"no{ATTACK}"),
        lambda: nb.load(next(attack.glob("run*/bad*"))),
        lambda: profile.trace(run=ATTACK),
        lambda: trace.table(ATTACK),
        lambda: trace.filter(name=f"/({ATTACK}/"),
    ):
        with pytest.raises(nb.NbprofError) as caught:
            raising()
        texts.append(str(caught.value))
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        trace.filter(name=f"x{ATTACK}").operators()
    texts += [warnings.formatwarning(w.message, w.category, "", 1, "") for w in found]
    assert len(found) == 1
    for text in texts:
        assert not FORBIDDEN.search(text)


def test_every_character_that_a_terminal_obeys_is_written_out() -> None:
    for code in (*range(0x3100), *range(0xD800, 0xDD00), *range(0xE0000, 0xE0080), sys.maxunicode):
        character = chr(code)
        shown = visible(character)
        assert character == "\n" or shown.isprintable()
        assert (shown == character) == (character.isprintable() or character == "\n")
    assert printable("a\nb") == "a\\nb"
    assert os.fsencode(printable("\udcff"))
