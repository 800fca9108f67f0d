"""Of very many devices and steps, chooses those that a view lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.model.arrays import floats_of, joined
from nbprof.model.building import arrow_array, filled
from nbprof.model.units import format_number

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.widgets.requests.messages.charts import ManySteps

#: Of more devices, the busiest are listed: a page has no room for more lines, nor a reply.
MOST_DEVICES: Final = 100
#: Of more steps, the slowest are listed, for the same reasons.
MOST_STEPS: Final = 1000


def listed_devices(summary: pa.Table, time: pa.Table) -> tuple[pa.Table, pa.Table, str]:
    """Choose the busiest devices.

    Parameters
    ----------
    summary, time : pyarrow.Table
        Tables ``device_summary`` and ``device_time``.

    Returns
    -------
    pyarrow.Table, pyarrow.Table, str
        Both tables of the listed devices, in their order, and words for which these are; empty if
        they are all.
    """
    listed, words = busiest(summary)
    if not words:
        return summary, time, ""
    devices = joined(filled(listed["device"], -1))
    own = np.isin(joined(filled(time["device"], -1)), devices)
    return listed, time.filter(arrow_array(own)), words


def busiest(devices: pa.Table) -> tuple[pa.Table, str]:
    """Choose the busiest devices of any table of devices with their utilization.

    Parameters
    ----------
    devices : pyarrow.Table
        Table ``device_summary``, or those of all workers.

    Returns
    -------
    pyarrow.Table, str
        The rows of the listed devices, in their order, and words for which these are; empty if they
        are all.
    """
    if devices.num_rows <= MOST_DEVICES:
        return devices, ""
    busy = np.nan_to_num(floats_of(devices["utilization_pct"]))
    kept = np.sort(np.argsort(-busy, kind="stable")[:MOST_DEVICES])
    words = f"the busiest {MOST_DEVICES} of {format_number(devices.num_rows)}"
    return devices.take(arrow_array(kept)), words


def listed_steps(steps: pa.Table) -> tuple[pa.Table, ManySteps | None]:
    """Choose the slowest steps.

    Parameters
    ----------
    steps : pyarrow.Table
        Table ``steps``.

    Returns
    -------
    pyarrow.Table, ManySteps or None
        The listed steps, in their order, and what the key figures say of all of them; None if they
        are all.
    """
    if steps.num_rows <= MOST_STEPS:
        return steps, None
    times = np.nan_to_num(floats_of(steps["total_us"]))
    kept = np.sort(np.argsort(-times, kind="stable")[:MOST_STEPS])
    complete = joined(steps["complete"])
    counted = times[complete] if complete.any() else times
    facts: ManySteps = {
        "count": steps.num_rows,
        "complete": int(complete.sum()),
        "range_us": (float(counted.min()), float(counted.max())),
        "shown": f"the slowest {format_number(MOST_STEPS)} of {format_number(steps.num_rows)}",
    }
    return steps.take(arrow_array(kept)), facts
