"""`Operation`: a request type of the browser with its handler."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import Progress, Session

#: Handles a request from its parameters; may report progress.
Handler: TypeAlias = Callable[[Session, Mapping[str, Any], Progress], Reply]


@dataclass(frozen=True)
class Operation:
    """A request type of the browser.

    Parameters
    ----------
    answer : callable
        Computes the reply.
    shows : bool, optional
        Whether the screen may change, so that the data of a saved notebook should be updated.
    """

    answer: Handler
    shows: bool = False
