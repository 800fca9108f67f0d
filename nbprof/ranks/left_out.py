"""Warns of workers that a table over workers leaves out."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from nbprof.model.errors import WorkerWarning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources.files.shared_names import SharedNames


def left_out(
    table: str, reasons: Mapping[str, str], names: SharedNames, *, stacklevel: int
) -> None:
    """Warn of every worker that a table leaves out, with the reason.

    Parameters
    ----------
    table : str
        Name of the table.
    reasons : mapping of str to str
        By worker.
    names : SharedNames
        Shortens the paths in them: a notebook keeps warnings in its output.
    stacklevel : int
        As in `warnings.warn`, counted from the caller.
    """
    for worker, reason in reasons.items():
        message = f"{table}: worker {worker!r} is left out. {names.text(reason)}"
        warnings.warn(message, WorkerWarning, stacklevel=stacklevel + 1)
