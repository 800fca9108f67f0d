"""Names of events and keys of their arguments, and the columns that they are formatted from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.events import Args
from nbprof.sources.writing import text
from nbprof.sources.writing.text import Fragments

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]


#: Names of arguments in files, by their column names.
KEYS: Final = dict(zip(Args.__struct_fields__, Args.__struct_encode_fields__, strict=True))


def column_of(model: TraceModel, table: str, rows: Rows, name: str) -> npt.NDArray[Any]:
    """Return the values of some rows in a column."""
    values: npt.NDArray[Any] = model.column(table, name)[rows]
    return values


def names_as_text(names: list[str]) -> Fragments:
    """Return the name of an event as JSON, for each name of a column."""
    return Fragments(f',"name":{text.encode(name)}' for name in names)
