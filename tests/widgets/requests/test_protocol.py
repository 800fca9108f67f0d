"""The two halves of the protocol say the same."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from nbprof.widgets.hints.hints import LOOKED_FOR
from nbprof.widgets.requests import protocol
from nbprof.widgets.requests.handlers import HANDLERS

if TYPE_CHECKING:
    from tests.widgets.conftest import Page

TYPESCRIPT = Path(__file__).resolve().parents[3] / "js" / "src" / "core" / "protocol.ts"


def constant(name: str) -> Any:
    """Return a number or a list of texts that protocol.ts exports."""
    source = TYPESCRIPT.read_text()
    number = re.search(rf"export const {name}\b[^=]*=\s*(\d+);", source)
    if number:
        return int(number[1])
    listed = re.search(rf"export const {name}\b[^=]*=\s*\[([^\]]*)\]", source)
    assert listed, f"protocol.ts exports no {name}"
    return tuple(re.findall(r'"([^"]+)"', listed[1]))


def fields(interface: str) -> set[str]:
    """Return the fields of an interface in protocol.ts, optional ones too."""
    source = TYPESCRIPT.read_text()
    pattern = rf"export interface {interface} (?:extends (\w+) )?\{{(.*?)\n\}}"
    body = re.search(pattern, source, re.DOTALL)
    assert body, f"protocol.ts exports no interface {interface}"
    own = set(re.findall(r"^  (\w+)\??:", body[2], re.MULTILINE))
    return own | (fields(body[1]) if body[1] else set())


def test_both_halves_have_one_version_and_the_same_operations() -> None:
    assert constant("VERSION") == protocol.VERSION
    assert constant("OPS") == protocol.OPS
    views = (TYPESCRIPT.parent / "viewinfo.ts").read_text("utf-8")
    assert tuple(re.findall(r'\bname: "(\w+)"', views)) == protocol.VIEWS
    assert set(HANDLERS) == set(protocol.OPS)


def test_messages_have_the_fields_that_the_browser_reads(page: Page) -> None:
    request = protocol.Request(1, "page", 2, {})
    answer = {"v", "id", "op", "gen", "ok"}
    assert set(protocol.reply_message(request, protocol.Reply({}))) == answer | {"result"}
    error = page.error("page", state=page.state(), table="nothing")
    assert set(error) == fields("WireError")
    progress = protocol.progress_message(request, "a", 1, 2)
    assert set(progress["progress"]) == fields("Progress")
    assert answer | {"result", "error", "progress"} == fields("Answer")


def test_results_have_the_fields_that_the_browser_reads(page: Page) -> None:
    state = page.state()
    workers = page.result("distributed", state=state)
    assert fields("Described") | {"done", "of", "notes", "empty", "calls"} <= set(workers)
    assert fields("Catalog") - {"failure"} <= set(page.result("catalog"))
    assert fields("TraceInfo") <= set(page.result("trace", state=state))
    assert fields("Overview") - {"missing"} <= set(page.result("overview", state=state))
    shown = page.result("page", state=state, table="kernels", search="nothing like it")
    assert fields("Page") <= set(shown)
    assert fields("Empty") <= set(shown["empty"])
    holdings = set(re.findall(r'\| "(\w+)"', TYPESCRIPT.read_text().split("type Holding")[1]))
    assert holdings & set(LOOKED_FOR) == set(LOOKED_FOR)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "is an object"),
        ([], "is an object"),
        ({"id": 1, "op": "hello"}, "version None"),
        ({"v": 2, "id": 1, "op": "hello"}, "version 2"),
        ({"v": 1, "id": "1", "op": "hello"}, "whole number"),
        ({"v": 1, "id": True, "op": "hello"}, "whole number"),
        ({"v": 1, "id": 1, "op": "no"}, "no operation 'no'"),
        ({"v": 1, "id": 1, "op": ["hello"]}, "no operation"),
        ({"v": 1, "id": 1, "op": "hello", "params": [1]}, "not an object"),
        ({"v": 1, "id": 1, "op": "hello", "gen": "x"}, "generation"),
    ],
)
def test_what_is_no_request_is_answered_with_the_reason(
    page: Page, content: object, words: str
) -> None:
    replies = page.say(content)
    assert len(replies) == 1
    reply, buffers = replies[0]
    assert not reply["ok"]
    assert buffers == []
    assert reply["error"]["type"] == "RequestError"
    assert words in reply["error"]["message"]
    assert reply["error"]["hint"]
    given = content.get("id") if isinstance(content, dict) else None
    assert reply["id"] == given
