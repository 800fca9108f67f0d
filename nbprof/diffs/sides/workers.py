"""Chooses the traces of a side by their workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.model.errors import UnknownNameError
from nbprof.model.reprs import some_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.trace import Trace


def of_workers(traces: Sequence[Trace], workers: Sequence[str] | None) -> tuple[Trace, ...]:
    """Return the traces of some workers.

    Raises
    ------
    UnknownNameError
        There are none.
    """
    if workers is None:
        return tuple(traces)
    chosen = tuple(trace for trace in traces if trace.worker in workers)
    if not chosen:
        names = some_names(list(dict.fromkeys(trace.worker for trace in traces)))
        message = f"A side has none of the workers {', '.join(workers)}; it has {names}."
        raise UnknownNameError(message)
    return chosen
