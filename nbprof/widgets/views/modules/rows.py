"""Adds the share of each module to the table ``modules``."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import joined
from nbprof.model.building import arrow_array, filled


def with_share(table: pa.Table) -> pa.Table:
    """Return the table ``modules`` with the share of each module in the total time.

    It is the time of forward and backward pass, on the device if anything ran there.
    """
    known = pc.is_in(table["parent_id"], value_set=table["module_id"].combine_chunks())
    top = pc.invert(known)
    for side in ("device", "host"):
        columns = [table[f"{side}_total_us"], table[f"backward_{side}_us"]]
        time = pc.add(*(filled(column, 0.0) for column in columns))
        total = pc.sum(pc.filter(time, top)).as_py() or 0.0
        if total > 0 or side == "host":
            break
    percent = 100.0 * (joined(time) / (total or np.nan))
    meaning = f"{side.capitalize()} time, forward and backward, as a share of all modules."
    metadata = {"unit": "%", "meaning": meaning}
    share = arrow_array(percent, pa.float64(), nan_is_null=True)
    return table.append_column(pa.field("share_pct", pa.float64(), metadata=metadata), share)
