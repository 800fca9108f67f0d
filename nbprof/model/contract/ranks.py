"""The result tables over the workers of a run, and the NPU's own account of steps."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from nbprof.model.contract.columns import Columns, count, flag, size, text, time
from nbprof.model.contract.table import Column

NPU_STEPS: Final[Columns] = (
    count("step", "Number of the step; empty where the recording has none."),
    time("computing_us", "Time with computation running on the NPU."),
    time("communication_not_overlapped_us", "Communication that no computation hides."),
    time("overlapped_us", "Communication that computation hides."),
    time("communication_us", "Time with communication running."),
    time("free_us", "Time with neither computation nor communication running."),
    time(
        "stage_us",
        "From the first to the last device work of the step, without waiting for"
        " another stage of the pipeline.",
    ),
    time("bubble_us", "Time waiting to receive from another stage of the pipeline."),
    time("preparing_us", "From the first operator of the step to its first device work."),
)

DISTRIBUTED_OVERVIEW: Final[Columns] = (
    count("step", "Number of the step; empty for the mean over all steps."),
    text("worker", "Process that was profiled."),
    time("computation_us", "Computation that no communication overlaps."),
    time("overlapping_us", "Computation and communication at the same time."),
    time("communication_us", "Communication that no computation hides."),
    time("other_us", "What is left of the step."),
)

DISTRIBUTED_WAIT: Final[Columns] = (
    count("step", "Number of the step; empty for the mean over all steps."),
    text("worker", "Process that was profiled."),
    time("data_transfer_us", "Communication in which data moves."),
    time("synchronizing_us", "Communication spent waiting for other workers."),
    time(
        "other_us",
        "What is left of the calls: neither of the two, as the recorder measured them; 0 where what"
        " is not data transfer counts as waiting.",
    ),
)

DISTRIBUTED_OPS: Final[Columns] = (
    text("worker", "Process that was profiled."),
    text("name", "Kind of communication operator."),
    count("calls", "Number of calls."),
    size("total_bytes", "Bytes sent, each counted once, in all calls."),
    Column("avg_bytes", pa.float64(), "bytes", "Bytes sent in a call, on average."),
    time("total_latency_us", "Time of the calls, waiting included, added up."),
    time("avg_latency_us", "Mean time of a call."),
    time("data_transfer_us", "Part of it in which data moves."),
    time("avg_data_transfer_us", "Mean of it for a call."),
    Column(
        "algo_gbps",
        pa.float64(),
        "GB/s",
        "Bytes of the whole message by transfer time, in 10⁹ bytes a second; empty where the"
        " recorder tells only what links carried.",
    ),
    Column(
        "bus_gbps",
        pa.float64(),
        "GB/s",
        "What all links of the worker carry for it together, by the same time.",
    ),
    Column(
        "link_gbps",
        pa.float64(),
        "GB/s",
        "What one link carried by the time that it was busy, on average; of NPUs.",
    ),
)

#: What a rank alone can say of its steps, before the mean over them is taken.
RANK_STEPS: Final[Columns] = (
    count("step", "Number of the step; empty where the recording has none."),
    flag("averaged", "Whether means are taken over it."),
    *DISTRIBUTED_OVERVIEW[2:],
)

#: Communication calls of a rank, in the order in which it made them: a row for each range of time
#: that a call was at work, one at least.
RANK_CALLS: Final[Columns] = (
    count("call", "Number of the call, from 0."),
    count("step", "Number of the step that it was made in; empty outside of steps."),
    text("name", "Kind of communication operator."),
    text("process_group", "Who took part; empty where it is not known."),
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
