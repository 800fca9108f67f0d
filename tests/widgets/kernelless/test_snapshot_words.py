"""A search without Python finds what Python finds, or says that it cannot."""

from __future__ import annotations

import random
import warnings
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from nbprof.model.errors import FilterError
from nbprof.model.filters.filter import match_names
from nbprof.widgets.kernelless.snapshot import SnapshotWriter
from nbprof.widgets.requests import pages
from nbprof.widgets.requests.arrow import to_ipc
from tests.support.offline import answers

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

#: What a person writes, and both must answer.
ANSWERED = (
    *(
        "/^aten::(?P<what>conv|add)/",
        "/(?i)ADD/",
        "/\\bconv/",
        "/b$/",
        "/b\\Z/",
        "/\\Aa/",
    ),
    *("/a.b/", "/\\w\\W\\w/", "/^\\w+$/", "/\\d/", "/\\D/", "/\\s/", "/^\\S+$/", "/[\\s\\S]b/"),
    *("/[^\\W_]2/", "/[]x]/", "/[^]x]/", "/[a-]b/", "/^a{2}$/", "/^a{,2}$/", "/a{,/"),
    *(
        "/i/",
        "/[i]s/",
        "/[a-z]stan/",
        "/[^i]stan/",
        "/k/",
        "/[j-l]elvin/",
        "/s/",
        "/é/",
        "/(a|b)+?$/",
    ),
    *(
        "/a(?=b)/",
        "/a(?!b)/",
        "/\\x61b/",
        "/\\u0061b/",
        "/\\U0001F600/",
        "/😀 ./",
        "/^[^a]$/",
        "/a|/",
    ),
    *(
        "/\\[x\\]/",
        "/<float, \\d+>/",
        "/\\\\A/",
        "/(?=a)*b/",
        "/a\\-b/",
        "/./",
        "/[\\d-]b/",
        "/()/",
    ),
)
#: What only Python understands, or understands in its own way.
FOR_PYTHON = (
    *("/(?#words)x/", "/(a)?b\\1/", "/(?<=a)b/", "/(?P<x>a)(?P=x)/", "/a*+/", "/a++/", "/(?>a)/"),
    *(
        "/(?x) a/",
        "/(a)(?(1)b|c)/",
        "/\\N{DIGIT ONE}/",
        "/[\u0430-\u044f]/",
        "/\\07/",
        "/(?<n>a)/",
        "/\\z/",
        "/\\Bb/",
    ),
    *("/(?P<a>x)(?P<a>y)/", "/a{70000}/", "/(?-i:A)/"),
)
BROKEN = (
    *("/(/", "/)/", "/[/", "/[]/", "/a**/", "/*/", "/a|*/", "/^*/", "/\\b+/", "/(?:*)/", "/[b-a]/"),
    *(
        "/\\p{L}/",
        "/\\k<a>/",
        "/\\e/",
        "/\\x1/",
        "/[\\d-a]/",
        "/a{3,2}/",
        "/\\/",
        "/a??*/",
        "/{2}/",
    ),
)
TOKENS = (
    *"aAbisK^$.|()[]{}*+?-,2\\/ ",
    *("\\w", "\\W", "\\d", "\\s", "\\S", "\\b", "\\B", "\\A", "\\Z", "\\n", "\\t", "\\.", "\\-"),
    *("[a-k]", "[^a]", "[\\W]", "[^\\d_]", "(?:", "(?=", "(?!", "(?P<n>", "{2}", "{1,}", "{,1}"),
)


def kept(names: tuple[str, ...]) -> bytes:
    """Return a snapshot whose operators have these names."""
    table = pa.table({"name": list(names), "calls": list(range(len(names)))})
    writer = SnapshotWriter(10_000_000, ("run", "worker", 1), "0")
    about = {"table": "operators", "group_by": "name", "rows": len(names), "all": len(names)}
    about |= {"sorts": [], "keys": ["name"], "hidden": [], "notes": {}, "maxima": {}}
    assert writer.add("table:operators:name", about | {"sums": {}, "all_sums": {}}, [to_ipc(table)])
    return writer.to_bytes()


def ask(folder: Path, names: tuple[str, ...], params: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the names on a page, or the type of the error, for every request."""
    asked = [
        ("page", {"state": {"filter": {}}, "table": "operators", "limit": 1000, **one})
        for one in params
    ]
    return answers(kept(names), folder, asked)


def found(reply: dict[str, Any]) -> list[str]:
    (buffer,) = reply["buffers"]
    return buffer["rows"]["name"]


def by_python(text: str) -> list[str] | None:
    """Return the names that Python finds; None where it takes it for no expression."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        try:
            hits = match_names(NAMES, text)
        except FilterError:
            return None
    return [name for name, hit in zip(NAMES, hits, strict=True) if hit]


def test_what_people_search_for_is_found(tmp_path: Path) -> None:
    texts = WORDS + ANSWERED
    for text, reply in zip(
        texts, ask(tmp_path, NAMES, [{"search": t} for t in texts]), strict=True
    ):
        assert "error" not in reply, (text, reply)
        assert found(reply) == by_python(text), text


@pytest.mark.parametrize(("texts", "error"), [(FOR_PYTHON, "NeedsPython"), (BROKEN, "FilterError")])
def test_what_it_cannot_tell_it_says(texts: tuple[str, ...], error: str, tmp_path: Path) -> None:
    for text, reply in zip(
        texts, ask(tmp_path, NAMES, [{"search": t} for t in texts]), strict=True
    ):
        assert reply.get("error", {}).get("type") == error, (text, reply)
        if error == "FilterError":
            assert by_python(text) is None, text


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
        elif reply["error"]["type"] == "FilterError":
            assert python is None, text
    assert answered > len(texts) / 4


def test_texts_stand_in_the_order_of_python(tmp_path: Path) -> None:
    table = pa.table({"name": list(NAMES)})
    ways = ("asc", "desc")
    replies = ask(tmp_path, NAMES, [{"sort": ["name", way]} for way in ways])
    for way, reply in zip(ways, replies, strict=True):
        assert found(reply) == pages.sort_rows(table, ("name", way))["name"].to_pylist()
