"""`Operation`: a request type of the browser with its handler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.registry import resolved

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from nbprof.widgets.requests.protocol import Reply
    from nbprof.widgets.session.session import Progress, Session

#: Handles a request from its parameters; may report progress.
Handler: TypeAlias = "Callable[[Session, Mapping[str, Any], Progress], Reply]"


@dataclass(frozen=True)
class Operation:
    """A request type of the browser.

    Parameters
    ----------
    answer : callable or str
        Computes the reply; a string is its place, ``"module:function"``, which is imported for the
        first request.
    shows : bool, optional
        Whether the screen may change, so that the data of a saved notebook should be updated.
    """

    answer: Handler | str
    shows: bool = False

    @property
    def handler(self) -> Handler:
        """The function that computes the reply, imported if `answer` is its place."""
        return resolved(self.answer)
