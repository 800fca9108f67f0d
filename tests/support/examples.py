"""Numbers of examples for property tests that set their own."""

from __future__ import annotations


class _Examples:
    """Gives a number of examples, fewer in a quick run; `tests.conftest` sets the limit."""

    limit: int | None = None

    def __call__(self, wanted: int) -> int:
        return wanted if self.limit is None else min(wanted, self.limit)


examples = _Examples()
