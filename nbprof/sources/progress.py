"""`Reporter`: reports the progress of reading, with a bar or to a function of the caller."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Callable

Progress: TypeAlias = "Literal['auto', False] | Callable[[int, int, str], None] | None"

#: No bar is shown for reads that take fewer seconds.
PATIENCE_S = 1.0


class Reporter:
    """Reports bytes read; a context manager that closes its bar.

    Parameters
    ----------
    progress : "auto", False or callable
        See `nbprof.load`.
    total : int
        Total number of bytes.
    text : str
        Description of what is read.
    """

    def __init__(self, progress: Progress, total: int, text: str) -> None:
        self._progress = progress
        self._total = total
        self._text = text
        self._start = time.monotonic()
        self._bar: Any = None

    def update(self, done: int) -> None:
        """Report the number of bytes that have been read so far."""
        if callable(self._progress):
            self._progress(done, self._total, self._text)
        elif self._progress == "auto":
            if self._bar is None and time.monotonic() - self._start > PATIENCE_S:
                self._bar = _make_bar(self._total, self._text)
            if self._bar is not None:
                self._bar.update(done - self._bar.n)

    def __enter__(self) -> Reporter:  # noqa: PYI034 - typing.Self is newer than 3.10
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _make_bar(total: int, text: str) -> Any:
    # A widget bar if the notebook can show one, else text on standard error.
    from tqdm.auto import tqdm

    return tqdm(total=total, desc=printable(text), unit="B", unit_scale=True, leave=False)
