"""Columns of a rank's extract: its steps and its communication calls."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns, count, flag, size, text, time
from nbprof.model.contract.table import Column

#: The parts of the time of a step on one rank.
STEP_TIMES: Final[Columns] = (
    time("computation_us", "Computation that no communication overlaps."),
    time("overlapping_us", "Computation and communication at the same time."),
    time("communication_us", "Communication that no computation hides."),
    time("other_us", "Remaining time of the step."),
)

#: The steps of one rank, before means over them are computed.
RANK_STEPS: Final[Columns] = (
    count("step", "Number of the step; empty if the recording has no steps."),
    flag("averaged", "Whether the means include this step."),
    *STEP_TIMES,
)

#: Communication calls of a rank, in the order in which it made them: one row for each range of time
#: in which a call was active, at least one per call.
RANK_CALLS: Final[Columns] = (
    count("call", "Number of the call, from 0."),
    count("step", "Number of the step that it was made in; empty outside of steps."),
    text("name", "Kind of communication operator."),
    text("process_group", "Ranks that took part; empty if unknown."),
    flag("kept", "Whether the filter keeps the call."),
    flag("paired", "Whether all participants make the same call, unlike a sender and a receiver."),
    size(
        "bytes",
        "Bytes that the rank sends: its input, 0 if no other rank takes part; empty if unknown.",
    ),
    size("message_bytes", "Bytes of the whole message."),
    Column("bus_bytes", pa.float64(), "bytes", "Bytes that the links of the rank carry for it."),
    count("start_ns", "Start of the range; empty if unknown.", "ns"),
    count("duration_ns", "Length of the range.", "ns"),
    time("latency_us", "Time of the call, if the recorder measured it."),
    time("data_transfer_us", "Part of it in which data moves, if the recorder measured it."),
    time("synchronizing_us", "Part of it spent waiting, if the recorder measured it."),
    time("link_us", "Sum of the times that links were busy, if the recorder measured it."),
)
