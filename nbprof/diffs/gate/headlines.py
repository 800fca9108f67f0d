"""The figures that limits name without rows: of the step, of its categories, of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from nbprof.model.trace import kinds

if TYPE_CHECKING:
    from collections.abc import Callable


class Headline(NamedTuple):
    """A figure of a whole side.

    Attributes
    ----------
    word : str
        The table that has it, by its word.
    figure : str
        Its name there.
    picks : callable
        ``picks(keys)`` returns which rows count, as a list of bool.
    is_largest : bool
        Whether it is the largest of these rows, not their sum.
    """

    word: str
    figure: str
    picks: Callable[[list[tuple[Any, ...]]], list[bool]]
    is_largest: bool = False


def _category(name: str) -> Callable[[list[tuple[Any, ...]]], list[bool]]:
    return lambda keys: [key[0] == name for key in keys]


def _all(keys: list[tuple[Any, ...]]) -> list[bool]:
    return [True] * len(keys)


def _accelerators(keys: list[tuple[Any, ...]]) -> list[bool]:
    """Pick the memory of devices; that of the host if it is the only one."""
    devices = [key[0] != "cpu" for key in keys]
    return devices if any(devices) else _all(keys)


HEADLINES: Final[dict[str, Headline]] = {
    "step_us": Headline("category", "total_us", _category("total")),
    **{
        f"{name}_us": Headline("category", "total_us", _category(name)) for name in kinds.CATEGORIES
    },
    "memory_peak_bytes": Headline("memory", "peak_bytes", _accelerators, is_largest=True),
    "idle_us": Headline("idle", "idle_us", _all),
    "launch_us": Headline("launch", "host_us", _all),
    "launches": Headline("launch", "launched", _all),
}
