"""The result tables about stages of a step, types of events, and phases of operators."""

from __future__ import annotations

from typing import Final

from nbprof.model.contract.columns import Columns, count, pct, text, time

STAGES: Final[Columns] = (
    count("step", "Number of the step."),
    text(
        "stage",
        "DataLoader, Forward, Backward, Optimization, or Other. Of inference: DataLoader; Prefill,"
        " Decode and Mixed, where an engine's labels tell what its batches are of; Forward; Other.",
    ),
    time("host_us", "Time of the stage on the host. Those of a step sum to it."),
    time("device_us", "Time with device work running that the stage launched."),
)

STAGE_SUMMARY: Final[Columns] = (
    text("stage", "Step, or a stage of it."),
    count(
        "host_calls",
        "How often the stage ran. Other, and all where the recorder has no events of stages: in how"
        " many steps.",
    ),
    time("host_total_us", "Time of the stage on the host, added up over steps."),
    time("host_mean_us", "Mean host time of a call."),
    time("host_max_us", "Longest call on the host."),
    time("host_min_us", "Shortest call on the host."),
    pct("host_pct", "Share of the host time of the steps."),
    count("device_calls", "The same, where device work was recorded."),
    time(
        "device_total_us",
        "Time with device work running that the stage launched. What runs at the same time counts"
        " once, so that the stages may be more than the steps.",
    ),
    time("device_mean_us", "Mean device time of a call."),
    time("device_max_us", "Most device time in a step."),
    time("device_min_us", "Least device time in a step."),
    pct("device_pct", "Share of the device time of the steps."),
)

EVENTS: Final[Columns] = (
    text("stage", "Stage of a step that the events began in, or Other."),
    text(
        "event_type",
        "Type of the events, as the recorder calls it; what users name is UserDefined.",
    ),
    text("side", "host or device."),
    count("calls", "Number of events."),
    time("duration_us", "Time with such an event running: overlaps count once."),
    pct("pct", "Share of the stage in the time of the event type over all stages."),
)

OPERATOR_PHASES: Final[Columns] = (
    text("name", "Name of the operator."),
    text("phase", "infer_shape, compute, node_creation, or others: what is left of the operator."),
    count("calls", "Number of such parts; of others, of calls of the operator."),
    time("host_us", "Host time of the phase, added up. The phases of an operator sum to it."),
    time("device_us", "Time of the device work launched in the phase, added up."),
)

#: Parts of operators by name, under the operators that they are inside; their shapes are there
#: where operators are grouped by them.
OPERATOR_PARTS: Final[Columns] = (
    text("operator", "Name of the operator."),
    text("input_shapes", "Shapes of the inputs of the operator, as JSON."),
    text("name", "Name of the part."),
    count("calls", "Number of such parts."),
    time("host_total_us", "Host time, added up."),
    time("host_mean_us", "Mean host time."),
    time("host_max_us", "Longest."),
    time("host_min_us", "Shortest."),
    pct("host_pct", "Share of the host time of the operator."),
    time("device_total_us", "Time of the device work launched in it, added up."),
    time("device_mean_us", "Mean device time."),
    time("device_max_us", "Most device time."),
    time("device_min_us", "Least device time."),
    pct("device_pct", "Share of the device time of the operator."),
)

#: Key columns of `operator_parts` that each grouping of operators has.
PART_GROUPS: Final = {
    "name": ("operator", "name"),
    "name+shape": ("operator", "input_shapes", "name"),
}
