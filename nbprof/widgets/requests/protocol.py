"""Requests and replies of the browser; mirrored by ``js/src/core/protocol/protocol.ts``.

The browser sends ``{v, id, op, gen, params}``. It gets one reply with the same ``id``, ``op`` and
``gen``, either ``ok`` with a ``result`` and binary buffers, or not ``ok`` with an ``error``;
``progress`` messages may come before. Messages without a request, such as a rejected trait, have
``id`` null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from nbprof.model.errors import NbprofError

#: Incremented with every change that older browser code could not handle.
VERSION: Final = 1

#: Maximum size of a reply; a hub with a proxy transfers 5 to 20 MB per second.
MAX_REPLY_BYTES: Final = 4 * 1024 * 1024

#: Minimum seconds between two progress messages; Jupyter drops bursts of messages.
PROGRESS_SECONDS: Final = 0.1

Json = dict[str, Any]


class RequestError(NbprofError, ValueError):
    """Raised for an invalid request of the browser; the message says what is wrong."""


class ReplyTooLargeError(NbprofError, ValueError):
    """Raised when a reply does not fit into one message."""


@dataclass(frozen=True)
class Request:
    """A request of the browser.

    Parameters
    ----------
    id : int
        Chosen by the browser; the reply carries it.
    op : str
        The operation.
    gen : int
        Generation; the browser drops replies of older ones.
    params : mapping
        Parameters of the operation.
    """

    id: int
    op: str
    gen: int
    params: Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """The reply of a handler.

    Parameters
    ----------
    result : dict
        Plain values; no NaN, which JSON does not have.
    buffers : list of bytes
        Arrow IPC streams, scripts or text, in the order that `result` refers to.
    """

    result: Json
    buffers: list[bytes] = field(default_factory=list)


def parse_request(content: object) -> Request:
    """Validate a message of the browser and return its request.

    Raises
    ------
    RequestError
        It is not a request of this version of the protocol.
    """
    if not isinstance(content, Mapping):
        message = f"A request must be an object, not {type(content).__name__}."
        raise RequestError(message)
    if content.get("v") != VERSION:
        message = (
            f"The page speaks version {content.get('v')!r} of the widget protocol, "
            f"the kernel version {VERSION}."
        )
        raise RequestError(message)
    number, op, gen = content.get("id"), content.get("op"), content.get("gen", 0)
    params = content.get("params") or {}
    if not isinstance(number, int) or isinstance(number, bool):
        message = f"The id of a request must be an integer, not {number!r}."
        raise RequestError(message)
    if not isinstance(op, str):
        message = f"There is no operation {op!r}; operations have names."
        raise RequestError(message)
    if not isinstance(params, Mapping) or not isinstance(gen, int):
        message = f"The parameters of {op} are not an object, or its generation is no number."
        raise RequestError(message)
    return Request(number, op, gen, params)


def text_of(field: str, value: object) -> str:
    """Return a text of a request.

    Raises
    ------
    RequestError
        It is not a text, or has half a character, as JSON allows it.
    """
    if not isinstance(value, str):
        message = f"{field}: a text is required, not {value!r}."
        raise RequestError(message)
    try:
        value.encode()
    except UnicodeEncodeError as error:
        message = f"{field}: {value!r} is no valid text."
        raise RequestError(message) from error
    return value


def reply_message(request: Request, reply: Reply) -> Json:
    """Return the message that answers a request."""
    return {**_head(request), "ok": True, "result": reply.result}


def error_message(request: Request | None, error: Json, content: object = None) -> Json:
    """Return the message for a failed request.

    Parameters
    ----------
    request : Request or None
        None if it could not be parsed, or for errors without a request.
    error : dict
        ``type``, ``message``, ``hint`` and ``details``.
    content : object, optional
        The message that could not be parsed; its id is used if it can be read.
    """
    if request is not None:
        head = _head(request)
    else:
        given = content if isinstance(content, Mapping) else {}
        head = {"v": VERSION, **{key: _plain(given.get(key)) for key in ("id", "op", "gen")}}
    return {**head, "ok": False, "error": error}


def refreshed_message() -> Json:
    """Return the message that notifies the browser of a new search for files."""
    return {"v": VERSION, "id": None, "op": "refresh", "ok": True}


def progress_message(request: Request, text: str, done: int, total: int) -> Json:
    """Return a message with the progress of a request, in bytes."""
    progress = {"text": text, "done": int(done), "total": int(total)}
    return {**_head(request), "progress": progress}


def _head(request: Request) -> Json:
    return {"v": VERSION, "id": request.id, "op": request.op, "gen": request.gen}


def _plain(value: object) -> object:
    return value if isinstance(value, (int, str)) else None
