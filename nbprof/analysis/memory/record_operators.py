"""Operator names that recorders write into memory records; `CodedTexts`: codes with their texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class CodedTexts:
    """Codes with their texts; -1 means no text.

    Attributes
    ----------
    code : ndarray of int64, shape (records,)
    texts : list of str
    """

    code: Rows
    texts: list[str]


def names_of_records(model: TraceModel) -> CodedTexts:
    """Return the operator that each memory record names, shape (records,); computed once.

    A release gets the name of the block's allocation.
    """
    return model.cached("names of memory records", lambda: _names(model))


def _names(model: TraceModel) -> CodedTexts:
    code = np.full(model.tables["memory"].num_rows, -1, np.int64)
    record = model.column("memory_names", "record")
    code[record] = model.column("memory_names", "operator")
    address = model.column("memory", "address")
    # These recorders never reuse addresses, so an address identifies a block.
    order = np.argsort(address[record], kind="stable")
    ordered = address[record][order]
    if len(ordered):
        place = np.minimum(np.searchsorted(ordered, address), len(ordered) - 1)
        same = (ordered[place] == address) & (code < 0)
        code[same] = code[record[order[place[same]]]]
    return CodedTexts(code, model.values("memory_names", "operator"))
