"""Invalid requests are answered with errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.widgets.conftest import Page


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "must be an object"),
        ([], "must be an object"),
        ({"id": 1, "op": "hello"}, "version None"),
        ({"v": 2, "id": 1, "op": "hello"}, "version 2"),
        ({"v": 1, "id": "1", "op": "hello"}, "must be an integer"),
        ({"v": 1, "id": True, "op": "hello"}, "must be an integer"),
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
