"""`distinct_codes`: dictionary-encodes numbers with Arrow's hash table, without sorting them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from nbprof.model.arrays import numpy_of
from nbprof.model.building import arrow_array


def distinct_codes(values: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the code of each value, shape (values,), and the distinct values in order of arrival.

    Examples
    --------
    >>> codes, distinct = distinct_codes(np.array([7, 3, 7]))
    >>> codes.tolist(), distinct.tolist()
    ([0, 1, 0], [7, 3])
    """
    if values.strides == (0,) and len(values):  # one value for all rows
        return np.broadcast_to(np.int32(0), len(values)), values[:1].astype(np.int64)
    encoded = arrow_array(np.ascontiguousarray(values, np.int64)).dictionary_encode()
    return numpy_of(encoded.indices), numpy_of(encoded.dictionary)
