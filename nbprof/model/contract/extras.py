"""The columns that tables have only where a recorder tells more than others."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, pct, time

#: What ``operators`` has besides.
OPERATORS: Final[Columns] = (
    time("host_mean_us", "Mean time in a call, from start to end."),
    time("host_max_us", "Longest call on the host."),
    time("host_min_us", "Shortest call on the host."),
    pct("host_pct", "Share of the host times of all operators in this table, added up."),
    time("device_mean_us", "Mean device time of a call, operators that it called included."),
    time("device_max_us", "Most device time of a call."),
    time("device_min_us", "Least device time of a call."),
    pct("device_pct", "Share of the device times of all operators in this table, added up."),
)

#: What ``user_events`` has besides.
USER_EVENTS: Final[Columns] = (
    time("device_max_us", "Most device time of a call."),
    time("device_min_us", "Least device time of a call."),
    pct("host_pct", "Share of the host times of all events in this table, added up."),
    pct("device_pct", "Share of the device times of all events in this table, added up."),
)

#: What ``device_summary`` has besides: of the row of the CPU.
DEVICE_SUMMARY: Final[Columns] = (
    pct("process_cpu_pct", "CPU time of the process by the time recorded: over 100 on many cores."),
    pct("system_cpu_pct", "CPU time of all processes by the time recorded."),
)
