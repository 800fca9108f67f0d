"""Handler of ``spreads``: how the values of columns are spread, for charts in headers of tables.

``js/src/spreads/bins.ts`` computes the same where there is no Python.
"""

from __future__ import annotations

import math
from decimal import ROUND_HALF_UP, Context
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from nbprof.model.arrays import floats_of
from nbprof.widgets.requests.protocol import Reply
from nbprof.widgets.requests.tables import Asked

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from nbprof.widgets.requests.messages.tables import Spread
    from nbprof.widgets.session.session import Progress, Session

#: Tables with more rows have them.
FEW_ROWS: Final = 50
_BINS: Final = 20
#: From this ratio of the largest to the smallest value on, bins are of one ratio.
_FAR: Final = 100
#: A column that spans more has none: its edges may be no numbers.
_MOST: Final = 1e300
#: Digits of an edge, rounded as by ``toPrecision`` in JavaScript.
_DIGITS: Final = Context(prec=5, rounding=ROUND_HALF_UP)


def spreads(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:
    """Return how the values of each numeric column are spread, whatever the search."""
    return Reply({"spreads": spreads_of(Asked(session, params, progress).table)})


def spreads_of(table: pa.Table) -> dict[str, Spread]:
    """Return how the values of each numeric column are spread.

    Parameters
    ----------
    table : pyarrow.Table
        Any table; one of few rows has none.

    Returns
    -------
    dict of str to Spread
        By column. A bin has the values from its edge to below the next one, the last bin also its
        upper edge. Bins are of one ratio where all values are above 0 and far apart. Columns
        without two different values have none.
    """
    if table.num_rows <= FEW_ROWS:
        return {}
    found: dict[str, Spread] = {}
    for field in table.schema:
        is_whole = pa.types.is_integer(field.type)
        if is_whole or pa.types.is_floating(field.type):
            spread = _spread(floats_of(table[field.name]), is_whole=is_whole)
            if spread is not None:
                found[field.name] = spread
    return found


def _spread(values: npt.NDArray[np.float64], *, is_whole: bool) -> Spread | None:
    """Return how values are spread; None if there are no two."""
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    if not 0 < high - low < _MOST:
        return None
    single = is_whole and high - low < _BINS
    edges = [low + at for at in range(int(high - low) + 2)] if single else _edges(low, high)
    edges = sorted(set(edges))
    counts, _ = np.histogram(known, edges)
    return {"edges": edges, "counts": counts.tolist(), "single": single}


def _edges(low: float, high: float) -> list[float]:
    """Return short numbers around all values."""
    if low > 0 and high > _FAR * low:
        start, width = math.log(low), (math.log(high) - math.log(low)) / _BINS
        edges = [_short(math.exp(start + width * at)) for at in range(_BINS + 1)]
    else:
        width = (high - low) / _BINS
        edges = [_short(low + width * at) for at in range(_BINS + 1)]
    # Rounded outwards, so that no value is left out.
    first, last = _short(low), _short(high)
    edges[0] = first if first <= low else _short(low - abs(low) * 1e-4)
    edges[-1] = last if last >= high else _short(high + abs(high) * 1e-4)
    return edges


def _short(value: float) -> float:
    return float(_DIGITS.create_decimal_from_float(value))
