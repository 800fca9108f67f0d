"""`FilterFields`: the types of filter conditions passed as keyword arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence


class FilterFields(TypedDict, total=False):
    """Keyword arguments of functions that take filter conditions; `nbprof.Filter` explains them."""

    steps: int | tuple[int, int] | None
    time_us: tuple[float, float] | None
    name: str | None
    within: str | None
    kinds: Sequence[str] | None
    threads: int | Sequence[int] | None
    devices: int | Sequence[int] | None
    streams: int | Sequence[int] | None
    workers: str | Sequence[str] | None
