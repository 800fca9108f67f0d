"""`Operation`: something that the browser can ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.session import Progress, Session

#: Answers a request from its parameters; may tell how far it has come.
Handler: TypeAlias = Callable[[Session, Mapping[str, Any], Progress], Reply]


@dataclass(frozen=True)
class Operation:
    """Something that the browser can ask for.

    Parameters
    ----------
    answer : callable
        Makes the reply.
    shows : bool, optional
        Whether something else may be on screen afterwards, which a saved notebook should keep.
    """

    answer: Handler
    shows: bool = False
