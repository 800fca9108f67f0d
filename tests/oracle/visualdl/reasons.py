"""Reasons for the differences between figures of nbprof and VisualDL.

Paragraphs are those of the reference notes on VisualDL.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.oracle.visualdl import plain
from tests.oracle.visualdl.reading import SYNTHETIC, WRAPPED

if TYPE_CHECKING:
    from tests.oracle.visualdl.reading import Shown

#: Our figures by table, key and column.
Values = dict[tuple[str, str, str], Any]


def ours_instead(shown: Shown) -> Values:
    """Return what our figures must be wherever they are not those of VisualDL."""
    if shown.run == SYNTHETIC:
        found = twice_at_one_time(shown) | straight_under_stages()
        return found | doubled_kernels() | impossible_zeros()
    top = plain.read_tree(shown.path)
    if shown.run == WRAPPED:
        return hidden_stages(top) | kernel_launches(top)
    return kernel_launches(top) if shown.run == "run_cpu_v331" else {}


def twice_at_one_time(shown: Shown) -> Values:
    """§4: kernels of different stages that run at the same time are counted twice.

    4332.0 µs there are 4179.9 µs of the device, in all that is of the steps as a whole.
    """
    union, steps = 4179.9, 3
    whole = shown.figures["model_perspective"]["cpu"][0]["total_time"]
    stages = {row["name"]: row for row in shown.figures["model_perspective"]["gpu"]}
    found: Values = {
        ("device_summary", "GPU", "utilization_pct"): 100 * union / whole,
        ("stage_summary", "Step", "device_total_us"): union,
        ("stage_summary", "Step", "device_mean_us"): union / steps,
        ("stage_summary", "Step", "device_max_us"): union / steps,
        ("stage_summary", "Step", "device_min_us"): union / steps,
    }
    for stage in ("Forward", "Backward", "Optimization", "Other"):
        share = 100 * stages[stage]["total_time"] / union
        found["stage_summary", stage, "device_pct"] = share
    return found


def straight_under_stages() -> Values:
    """§4: calls straight under a stage are in no count there, and those under no event are Other.

    Three sets of memory were launched during Backward: two straight under it, and one on another
    thread, whose launch VisualDL finds under the root. All three are in Backward here.
    """
    values = {
        "device Memset Backward": (3, 12.0, 100.0),
        "device Memset Other": (None, None, None),
        "host CudaRuntime Forward": (15, 42.0, 56.0),
        "host CudaRuntime Backward": (9, 15.0, 20.0),
        "host CudaRuntime Optimization": (3, 4.5, 6.0),
        "host CudaRuntime Other": (6, 13.5, 18.0),
    }
    columns = ("calls", "duration_us", "pct")
    found: Values = {
        ("events", key, column): value
        for key, row in values.items()
        for column, value in zip(columns, row, strict=True)
    }
    times = {
        "CudaRuntime ProfileStep": 75.0,
        "CudaRuntime Backward": 15.0,
        "CudaRuntime Other": 13.5,
        "Memset ProfileStep": 12.0,
        "Memset Backward": 12.0,
        "Memset Other": 0.0,
    }
    return found | {("event times", key, "duration_us"): value for key, value in times.items()}


def doubled_kernels() -> Values:
    """§6: kernels launched directly under an operator are counted twice with their attributes."""
    name = "void phi::funcs::VectorizedElementwiseKernel<float, phi::funcs::ReluFunctor>"
    key = f"{name} c_allreduce_sum [1024,1,1] [512,1,1] 24 0"
    values = {"calls": 3, "total_us": 27.0, "pct": 100 * 27.0 / 4332.0}
    return {("kernels by properties", key, column): value for column, value in values.items()}


def impossible_zeros() -> Values:
    """No kernel has an occupancy of 0: these have 1.4 of 64 warps, 1200.0 of 4332.0 µs long."""
    name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)"
    launch = "ProcessGroupNCCL::AllReduce [8,1,1] [512,1,1] 96 0"
    occupancy = 100 * 1.4 / 64
    return {
        ("device_summary", "GPU", "occupancy_pct"): (94950.0 + occupancy * 1200.0) / 4332.0,
        ("kernels by name", name, "mean_occupancy_pct"): occupancy,
        ("kernels by properties", f"{name} {launch}", "mean_occupancy_pct"): occupancy,
    }


def hidden_stages(top: list[plain.Node]) -> Values:
    """§4: a range of the user round the step hides Forward, Backward and Optimization there."""
    steps = plain.stage_times(top)
    found: Values = {}
    whole = sum(sum(times) for stages in steps.values() for times in stages.values())
    for stage in ("Forward", "Backward", "Optimization", "Other"):
        calls = [time for stages in steps.values() for time in stages[stage]]
        for number, stages in steps.items():
            found["stages", f"{number} {stage}", "host_us"] = sum(stages[stage]) / 1000
        for column, value in {
            "calls": len(calls),
            "total_us": sum(calls) / 1000,
            "mean_us": sum(calls) / len(calls) / 1000,
            "max_us": max(calls) / 1000,
            "min_us": min(calls) / 1000,
            "pct": 100 * sum(calls) / whole,
        }.items():
            found["stage_summary", stage, f"host_{column}"] = value
    return found | _types(top, ("Operator", "OperatorInner", "UserDefined"))


def kernel_launches(top: list[plain.Node]) -> Values:
    """§1: VisualDL drops the kernel launches of Paddle 3, which stand for ``compute``.

    Its own operators of the backward pass have all of it inside a part named ``Local_…`` (§10):
    there, too, shapes are inferred and kernels launched.
    """
    found = _types(top, ("DygraphKernelLaunch",))
    for (name, phase), time in plain.phases(top).items():
        found["operator_phases", f"{name} {phase}", "host_us"] = time / 1000
    lengths = plain.launches_inside(top)
    whole: dict[str, int] = {}
    for tree in top:
        for node in (tree, *tree.below()):
            if node.kind == "Operator":
                whole[node.name] = whole.get(node.name, 0) + node.length
    for (operator, name), times in lengths.items():
        values = {
            "calls": len(times),
            "host_total_us": sum(times) / 1000,
            "host_mean_us": sum(times) / len(times) / 1000,
            "host_max_us": max(times) / 1000,
            "host_min_us": min(times) / 1000,
            "host_pct": 100 * sum(times) / whole[operator],
        }
        for group_by in ("name", "name+shape"):
            for column, value in values.items():
                key = f"operators by {group_by}: parts", f"{operator} > {name}", column
                found[key] = value
    return found


def _types(top: list[plain.Node], kinds: tuple[str, ...]) -> Values:
    found: Values = {}
    by_stage = plain.types_by_stage(top)
    for kind in kinds:
        times = {stage: plain.union(t) for (k, stage), t in by_stage.items() if k == kind}
        for stage, time in times.items():
            key = f"host {kind} {stage}"
            found["events", key, "calls"] = len(by_stage[kind, stage])
            found["events", key, "duration_us"] = time / 1000
            found["events", key, "pct"] = 100 * time / sum(times.values())
            found["event times", f"{kind} {stage}", "duration_us"] = time / 1000
    return found
