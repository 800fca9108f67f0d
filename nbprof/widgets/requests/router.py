"""`Router`: dispatches requests to handlers and sends exactly one reply to each."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.hints.failures import ViewError
from nbprof.widgets.requests import protocol
from nbprof.widgets.requests.fitting import fitted
from nbprof.widgets.requests.protocol import Request, RequestError

if TYPE_CHECKING:
    from nbprof.widgets.requests.operations import Operation
    from nbprof.widgets.session.session import Session

_LOG = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())

#: Handlers slower than this are logged.
_SLOW_SECONDS: Final = 1.0

#: Maximum number of errors kept for `view.errors`.
KEPT_ERRORS: Final = 50

Send = Callable[[dict[str, Any], "list[bytes]"], None]


class Router:
    """Dispatches requests to handlers and sends their replies.

    Parameters
    ----------
    session : Session
        Source of data for the handlers.
    operations : mapping of str to Operation
        Operations by name.
    send : callable
        Takes a message and its buffers.
    """

    def __init__(self, session: Session, operations: Mapping[str, Operation], send: Send) -> None:
        self._session = session
        self._operations = operations
        self._send = send
        self._errors: deque[ViewError] = deque(maxlen=KEPT_ERRORS)
        self._lock = threading.Lock()
        #: Called with each operation that was answered.
        self.on_answer: list[Callable[[Operation], None]] = []
        #: Number of messages from the page; 0 if the view was never drawn.
        self.heard = 0

    @property
    def errors(self) -> list[ViewError]:
        """The errors so far, oldest first."""
        with self._lock:
            return list(self._errors)

    def record(self, op: str, error: Exception) -> ViewError:
        """Store an exception in `errors` and return the stored form."""
        kept = ViewError.of(op, error)
        with self._lock:
            self._errors.append(kept)
        return kept

    def handle(self, content: object) -> None:
        """Answer a message of the browser; exceptions of handlers become error replies."""
        request: Request | None = None
        self.heard += 1
        started = time.monotonic()
        try:
            request = protocol.parse_request(content)
            tell = _ProgressSender(request, self._send)
            operation = self._operation(request.op)
            reply = operation.handler(self._session, request.params, tell)
            message = fitted(protocol.reply_message(request, reply), reply.buffers)
        except Exception as error:  # noqa: BLE001 - whatever happens, the browser waits for a reply
            kept = self.record(request.op if request else "request", error)
            self._send(protocol.error_message(request, kept.plain(), content), [])
            return
        took = time.monotonic() - started
        _LOG.log(
            logging.WARNING if took > _SLOW_SECONDS else logging.DEBUG,
            "%s took %.3f s and %d bytes",
            request.op,
            took,
            sum(map(len, reply.buffers)),
        )
        self._send(message, reply.buffers)
        try:
            for answered in self.on_answer:
                answered(operation)
        except Exception as error:  # noqa: BLE001 - the browser has its answer
            self.record(request.op, error)

    def _operation(self, name: str) -> Operation:
        if name not in self._operations:
            message = f"There is no operation {name!r}; there are {', '.join(self._operations)}."
            raise RequestError(message)
        return self._operations[name]

    def report_error(self, op: str, error: Exception) -> None:
        """Store an error without a request, and show it in the browser."""
        self._send(protocol.error_message(None, self.record(op, error).plain()), [])

    def tell_refreshed(self) -> None:
        """Tell the browser to ask for the catalog again."""
        self._send(protocol.refreshed_message(), [])


class _ProgressSender:
    """Sends progress messages at a limited rate."""

    def __init__(self, request: Request, send: Send) -> None:
        self._request = request
        self._send = send
        self._last = -protocol.PROGRESS_SECONDS

    def __call__(self, done: int, total: int, text: str) -> None:
        now = time.monotonic()
        if now - self._last < protocol.PROGRESS_SECONDS:
            return
        self._last = now
        self._send(protocol.progress_message(self._request, text, done, total), [])
