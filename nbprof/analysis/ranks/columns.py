"""Columns of a rank's extract: its steps and its communication calls."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns, count, flag, size, text, time
from nbprof.model.contract.table import Column

#: What the time of a step goes to, of one rank.
STEP_TIMES: Final[Columns] = (
    time("computation_us", "Computation that no communication overlaps."),
    time("overlapping_us", "Computation and communication at the same time."),
    time("communication_us", "Communication that no computation hides."),
    time("other_us", "Remaining time of the step."),
)

#: What a rank alone can say of its steps, before the mean over them is taken.
RANK_STEPS: Final[Columns] = (
    count("step", "Number of the step; empty if the recording has no steps."),
    flag("averaged", "Whether the means include this step."),
    *STEP_TIMES,
)

#: Communication calls of a rank, in the order in which it made them: a row for each range of time
#: that a call was at work, one at least.
RANK_CALLS: Final[Columns] = (
    count("call", "Number of the call, from 0."),
    count("step", "Number of the step that it was made in; empty outside of steps."),
    text("name", "Kind of communication operator."),
    text("process_group", "Ranks that took part; empty if unknown."),
    flag("kept", "Whether the filter keeps the call."),
    flag("paired", "Whether it is one call of all who take part, not one of a sender or receiver."),
    size("bytes", "Bytes that the rank gave; empty where they are not known."),
    size("message_bytes", "Bytes of the whole message."),
    Column("bus_bytes", pa.float64(), "bytes", "Bytes that the links of the rank carry for it."),
    count("start_ns", "Start of the range; empty where no time is known.", "ns"),
    count("duration_ns", "Length of the range.", "ns"),
    time("latency_us", "Time of the call, where the recorder measured it."),
    time("data_transfer_us", "Part of it in which data moves, where the recorder measured it."),
    time("synchronizing_us", "Part of it spent waiting, where the recorder measured it."),
    time("link_us", "Time that links were busy, added up, where the recorder measured it."),
)
