"""Searches find the same names with and without Python."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from nbprof.model.errors import FilterError
from nbprof.model.filters.patterns import match_names
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import to_ipc
from nbprof.widgets.saved.writer import StateWriter
from tests.support.programs.offline import answers

if TYPE_CHECKING:
    from pathlib import Path

NAMES = (
    *("aten::conv2d", "aten::add_", "aten::addmm", "nccl:all_reduce", "void gemm<float, 4>(int*)"),
    *("a.b", "a\nb", "ab\n", "ab\r", "a\u2028b", "tab\tx", "aa", "a", "", " ", "[x]", "a-b", "{2}"),
    *("straße", "STRASSE", "STRAẞE", "ΣΊΣΥΦΟΣ", "σίσυφος", "\u0131stanbul", "Istanbul", "İstanbul"),
    *(
        "Kelvin",
        "\u017fet",
        "數據 加載",
        "١٢٣",
        "a\u00a0b",
        "a\x1cb",
        "x²",
        "é",
        "E\u0301",
        "😀 step",
        "_",
    ),
)
WORDS = (
    "strasse",
    "STRASSE",
    "ẞ",
    "σίσυφοσ",
    "\u0131",
    "i",
    "İ",
    "k",
    "K",
    "S",
    "é",
    "加",
    "a b",
    "/",
)

#: Valid on both sides; each must find the same names.
VALID = (
    # What people search for.
    *("/^aten::(?P<what>conv|add)/", "/(?i)ADD/", "/\\bconv/", "/a.b/", "/^a{2}$/", "/a|/", "/()/"),
    *("/\\[x\\]/", "/<float, \\d+>/", "/a\\-b/", "/./", "/(a|b)+?$/", "/😀 ./", "/^nccl:.*reduce/"),
    # Ends of texts and words.
    *(
        "/b$/",
        "/b\\z/",
        "/\\Aa/",
        "/^$/",
        "/$/",
        "/(?m)a$/",
        "/(?m)^b/",
        "/\\Bb/",
        "/\\b/",
        "/^\\b/",
    ),
    # Sets of characters; \\d, \\s and \\w are ASCII, \\p is Unicode.
    *(
        "/\\w\\W\\w/",
        "/^\\w+$/",
        "/\\d/",
        "/\\D/",
        "/\\s/",
        "/^\\S+$/",
        "/[\\s\\S]b/",
        "/[^\\W_]2/",
    ),
    *(
        "/[\\d-a]/",
        "/[]x]/",
        "/[^]x]/",
        "/[a-]b/",
        "/[\\d-]b/",
        "/^[^a]$/",
        "/[[:upper:]]{2}/",
        "/[[:^alpha:]]/",
    ),
    *(
        "/\\pL/",
        "/\\p{Lu}/",
        "/\\P{L}/",
        "/[\\p{Nd}]/",
        "/\\p{Han}/",
        "/^\\p{Greek}+$/",
        "/[^\\pL]{3}/",
    ),
    # Letter case, also where one letter has several forms.
    *("/i/", "/[i]s/", "/[a-z]stan/", "/[^i]stan/", "/k/", "/[j-l]elvin/", "/s/", "/é/", "/ß/"),
    *("/\u03c3/", "/ΣΊ/", "/(?-i)a/", "/(?-i:A)/", "/(?-i:K)elvin/", "/ẞ/", "/\u0131/", "/İ/"),
    # Characters by number, newlines, and what is not ASCII.
    *("/\\x61b/", "/\\x{1F600}/", "/\\x{2028}/", "/\\07/", "/\\n/", "/(?s)a.b/", "/a\\sb/", "/加/"),
    *("/[\u0430-\u044f]/", "/\\QA.B\\E/", "/\\x1c/"),
    # Repetition.
    *("/^a{,2}$/", "/a{,/", "/a{1000}/", "/(?U)a+/", "/(a*)*b/", "/(|a)+$/", "/x{2}?/"),
)
#: Refused on both sides.
INVALID = (
    *("/(/", "/)/", "/[/", "/[]/", "/a**/", "/*/", "/a|*/", "/(?:*)/", "/[b-a]/", "/a++/"),
    *("/\\k<a>/", "/\\e/", "/\\x1/", "/a{3,2}/", "/\\/", "/a??*/", "/a{1001}/"),
    # What takes more than linear time, or is of other engines.
    *(
        "/a(?=b)/",
        "/a(?!b)/",
        "/(?<=a)b/",
        "/(?<!a)b/",
        "/(a)?b\\1/",
        "/(?P<x>a)(?P=x)/",
        "/(?>a)/",
    ),
    *(
        "/a*+/",
        "/(?#words)x/",
        "/(?x) a/",
        "/(a)(?(1)b|c)/",
        "/\\N{DIGIT ONE}/",
        "/b\\Z/",
        "/\\u0061/",
    ),
    *("/\\p{Foo}/", "/(?R)/", "/{2}/", "/\\K/", "/\\G/", "/\\h/"),
)
#: Arrow takes these, and the page does not.
ONLY_ARROW = ("/\\C/", "/(?P<a>x)(?P<a>y)/")
#: Take exponential time where an engine tries one way after another, and what they are tried on.
SLOW_ELSEWHERE = (
    ("/(a+)+$/", "a" * 100_000 + "!"),
    ("/(a|a)*b$/", "a" * 100_000),
    ("/(x+x+)+y/", "x" * 100_000),
    ("/(.*)(.*)(.*)(.*)(.*)=/", "k" * 100_000),
)
#: Without \\B, which in Arrow also matches between the bytes of one character.
TOKENS = (
    *"aAbisK^$.|()[]{}*+?-,2\\/ ",
    *("\\w", "\\W", "\\d", "\\s", "\\S", "\\b", "\\A", "\\z", "\\n", "\\t", "\\.", "\\-"),
    *(
        "[a-k]",
        "[^a]",
        "[\\W]",
        "[^\\d_]",
        "(?:",
        "(?i)",
        "(?P<n>",
        "{2}",
        "{1,}",
        "\\pL",
        "ß",
        "\u03c3",
    ),
)


def kept(names: tuple[str, ...]) -> bytes:
    """Return saved state whose operators have these names."""
    table = pa.table({"name": list(names), "calls": list(range(len(names)))})
    writer = StateWriter(10_000_000, ("run", "worker", 1), "0")
    about = {"table": "operators", "group_by": "name", "rows": len(names), "all": len(names)}
    about |= {
        "nouns": ["operator", "operators"],
        "sorts": [],
        "keys": ["name"],
        "hidden": [],
        "notes": {},
        "maxima": {},
    }
    assert writer.add("table:operators:name", about | {"sums": {}, "all_sums": {}}, [to_ipc(table)])
    return writer.to_bytes()


#: The table of the requests.
OPERATORS = {"table": "operators", "group_by": "name"}


def ask(folder: Path, names: tuple[str, ...], params: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the names on a page, or the type of the error, for every request."""
    asked = [
        ("page", {"state": {"filter": {}}, **OPERATORS, "limit": 1000, **one}) for one in params
    ]
    return answers(kept(names), folder, asked)


def found(reply: dict[str, Any]) -> list[str]:
    (buffer,) = reply["buffers"]
    return buffer["rows"]["name"]


def by_python(text: str) -> list[str] | None:
    """Return the names that Python finds; None where the expression is not valid."""
    try:
        hits = match_names(NAMES, text)
    except FilterError:
        return None
    return [name for name, hit in zip(NAMES, hits, strict=True) if hit]


def test_both_sides_find_the_same(tmp_path: Path) -> None:
    texts = WORDS + VALID
    for text, reply in zip(
        texts, ask(tmp_path, NAMES, [{"search": t} for t in texts]), strict=True
    ):
        assert "error" not in reply, (text, reply)
        assert found(reply) == by_python(text), text


def test_both_sides_refuse_the_same(tmp_path: Path) -> None:
    texts = INVALID + ONLY_ARROW
    for text, reply in zip(
        texts, ask(tmp_path, NAMES, [{"search": t} for t in texts]), strict=True
    ):
        assert reply.get("error", {}).get("type") == "FilterError", (text, reply)
        assert (by_python(text) is None) == (text in INVALID), text


def test_no_expression_finds_anything_else(tmp_path: Path) -> None:
    chance = random.Random(6)
    texts = [f"/{''.join(chance.choices(TOKENS, k=chance.randint(1, 7)))}/" for _ in range(4000)]
    answered = 0
    for text, reply in zip(
        texts, ask(tmp_path, NAMES, [{"search": t} for t in texts]), strict=True
    ):
        python = by_python(text.strip())
        if "error" not in reply:
            assert found(reply) == python, text
            answered += 1
        elif text.count("(?P<n>") < 2:
            assert reply["error"]["type"] == "FilterError", (text, reply)
            assert python is None, text
    assert answered > len(texts) / 4


@pytest.mark.parametrize(("text", "name"), SLOW_ELSEWHERE)
def test_long_names_are_matched_in_linear_time(text: str, name: str, tmp_path: Path) -> None:
    # An engine that goes back to try other ways would not end before the sun does.
    assert not match_names([name], text)[0]
    (reply,) = ask(tmp_path, (name,), [{"search": text}])
    assert found(reply) == []


def test_texts_stand_in_the_order_of_python(tmp_path: Path) -> None:
    table = pa.table({"name": list(NAMES)})
    ways = ("asc", "desc")
    replies = ask(tmp_path, NAMES, [{"sort": ["name", way]} for way in ways])
    for way, reply in zip(ways, replies, strict=True):
        assert found(reply) == pages.sort_rows(table, ("name", way))["name"].to_pylist()
