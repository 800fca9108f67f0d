"""Rewrites `differences.toml`: `python -m tests.oracle.list_differences [folder of data]`.

Every difference must fall under a reason that was looked into; one that does not stops the script
and has to be understood first. `test_reasons.py` puts the other tool's faults back in, one by one,
and sees the differences vanish.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.oracle.differences import Known, Place, place_of, plain, write
from tests.oracle.plugin.figures import plugin_figures
from tests.oracle.plugin.memory import TOOL as PLUGIN_MEMORY
from tests.oracle.plugin.memory import memory_figures
from tests.oracle.tracelens_figures import tracelens_figures
from tests.oracle.traces import MEMORY, PLUGIN, TRACELENS, open_oracle

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.figures import Figure

REASONS = {
    "communication": (
        "kineto.md §13.6, §13.3: the plugin knows ten exact names of operators and finds their"
        " kernels by External id, which here is another number; so kernels, copies and sets of"
        " collectives count as computation and host ranges (also their copies on the device,"
        " §13.2) as communication."
    ),
    "symmetric memory": (
        "tables.md, communication: multicast all-reduces of symmetric memory communicate; TraceLens"
        " knows names with nccl alone."
    ),
    "host collectives": (
        "kineto.md §13.6: gloo:_reduce_scatter_base, gloo:_all_gather_base, … and their like are"
        " not among the plugin's ten names."
    ),
    "driver": (
        "kineto.md §13.5: the plugin drops cuLaunchKernel and all of cuda_driver, so kernels"
        " launched by it belong to nobody, and its calls are counted to the operator's own time."
    ),
    "external id": (
        "kineto.md §13.3: runtime calls carry the correlation id as External id, so the plugin"
        " links no kernel to an operator and takes no runtime call out of its own time."
    ),
    "overhead": (
        "tables.md, host self: the profiler's own work is taken out of the operator round it; the"
        " plugin leaves it there."
    ),
    "unclaimed call": (
        "kineto.md §3, §13.3: a runtime call with an External id that no operator has is not taken"
        " out of the own time of the operator round it."
    ),
    "annotation inside": (
        "tables.md, host self: annotations are transparent; the plugin takes nccl:… annotations"
        " inside an operator out of its own time (kineto.md §3)."
    ),
    "calls without id": (
        "kineto.md §13.4: all runtime calls without External id, wherever they are, are taken out"
        " of the own time of the first module, which may become negative."
    ),
    "dropped slices": (
        "kineto.md §13.9: float64 microseconds make neighbours overlap, and the plugin drops"
        " such operators with what they launched; their callers keep that time as their own."
    ),
    "lost backward": (
        "kineto.md §13.8: with modules the plugin cuts backward groups without a link to a forward"
        " operator in a module from the tree, and loses their operators."
    ),
    "made-up step": (
        "tables.md, steps: without ProfilerStep the one step ends with the last operator or"
        " annotation; the plugin looks at operators only (kineto.md §4.1)."
    ),
    "tensor core names": (
        "tables.md, matrix units, kineto.md §13.7: the plugin's list of kernels ends with Ampere"
        " and misses tensor16x8x8, nvjet, templates of CUTLASS, flash attention, all of AMD and"
        " others; its list of operators misses convolution_backward and attention; what is"
        " unknown it calls not used."
    ),
    "three shares": (
        "kineto.md §13.15: the plugin's overview takes the share of kernels that operators own,"
        " ours is of all kernels in every table."
    ),
    "other makers": (
        "kineto.md §13.7: the plugin advises half precision wherever it knows no kernel's name,"
        " also on AMD, whose names it does not know."
    ),
    "pseudo-threads": (
        "kineto.md §13.2: kernels without a launch in the trace are listed once per thread with a"
        " ProfilerStep, and the device's copy of the annotation counts as such a thread."
    ),
    "operator given": (
        "kineto.md §13.3, §13.5: kernels that the plugin cannot link stand under CallTreeRoot, or"
        " not at all; ours name the operator."
    ),
    "any kernel": (
        "tables.md, recommendations: the plugin advises half precision only if no kernel at all"
        " used Tensor Cores; one that did does not speed the others up."
    ),
    "python frames": (
        "kineto.md §13, ignored data: the plugin shows only stacks that were recorded as text,"
        " which later recorders write as Python slices; ours are rebuilt from these."
    ),
    "memory in no total": (
        "kineto.md §7: the plugin draws Total Allocated as it stands; shared memory between data"
        " loader workers is in no total, its records say 0, and the curve falls to 0 at each. Ours"
        " keeps the total and adds what is in use besides."
    ),
    "moved backward": (
        "kineto.md §3, §7: with modules the plugin moves backward operators below nodes of its own,"
        " and going along the records does not find them there."
    ),
    "unseen calls": (
        "kineto.md §7, §13.13: the plugin does not count calls below slices without a record."
    ),
    "root of the tree": (
        "kineto.md §7: an operator that only allocates stands behind what called it; the plugin"
        " names the made-up root of its tree where nothing did."
    ),
    "impossible zero": (
        "h200.md §2: Kineto writes an occupancy of 0 for kernels with more than 48 KiB of shared"
        " memory, and the plugin averages it; ours computes it from the launch configuration."
    ),
    "earlier launches": (
        "TraceLens takes kernels whose launch is not in the trace out of its timeline; ours goes"
        " from the first to the last device work (tables.md, device_time)."
    ),
}
NCCL = "hta_nccl_data"
AMD = "hta_mi250_minitoy"
V100 = "hta_ns_resolution_rank0"
BERT, QWEN, B200 = (
    "tracelens_h100_bert-small",
    "tracelens_h100_Qwen1.5-0.5B",
    "tracelens_b200_eager",
)
UNLINKED = "hta_trace_diff_control|hta_trace_diff_test"
GLOO = "torchcpu_ddp_gloo_rank[01]"
LOST = "torchcpu_labels_stack|torchcpu_memtimeline"
NAMELESS_STEP = f"torchcpu_labels_bare|torchcpu_labels_mem_only|{LOST}"
CONVNET = "torchcpu_convnet_dl"
STEPS = "steps|overview"
OPERATORS = "operators( by shape| by stack| unrounded| pie)?"
OWN_TIME = "host_self_us"
LAUNCHED = f"device_(self|total)_us|{OWN_TIME}"
SHARES = "tensor_core_(self|total)_pct|tc_(self|total)_us"


class Rule(NamedTuple):
    """One cause, and which figures it explains; every pattern must match in full."""

    reason: str
    trace: str
    table: str
    column: str = ".*"
    key: str = ".*"

    def explains(self, trace: str, figure: Figure) -> bool:
        """Whether this is the cause of a figure's difference."""
        pairs = (
            (self.trace, trace),
            (self.table, figure.table),
            (self.column, figure.column),
            (self.key, figure.key),
        )
        return all(re.fullmatch(pattern, text) for pattern, text in pairs)


#: The first that explains a difference is its reason.
RULES = (
    # steps and averages
    Rule("made-up step", NAMELESS_STEP, STEPS),
    Rule("host collectives", GLOO, STEPS),
    Rule("communication", f"{NCCL}|{UNLINKED}", STEPS),
    Rule("driver", f"{BERT}|{QWEN}", STEPS),
    Rule("driver", B200, "steps", "runtime_us"),
    Rule("driver", B200, "overview", key="Runtime"),
    Rule("communication", B200, "steps", "kernel_us|communication_us"),
    Rule("communication", B200, "overview", key="Kernel|Communication"),
    Rule("made-up step", B200, STEPS),
    Rule("made-up step", B200, "device_summary", "(utilization|sm_efficiency)_pct( shown)?"),
    Rule("impossible zero", ".*", "device_summary", "occupancy_pct.*"),
    # tensor cores
    Rule("external id", UNLINKED, "device_summary", "tensor_core_pct"),
    Rule("three shares", QWEN, "device_summary", "tensor_core_pct.*"),
    Rule("tensor core names", f"{NCCL}|{BERT}|{B200}|{AMD}", "device_summary", "tensor_core_pct.*"),
    Rule("external id", UNLINKED, "tensor cores"),
    Rule("tensor core names", f"{NCCL}|{V100}|{BERT}|{QWEN}|{B200}|{AMD}", "tensor cores"),
    Rule(
        "tensor core names",
        f"{NCCL}|{V100}|{BERT}|{QWEN}|{B200}|{AMD}",
        ".*",
        "tensor_core_eligible",
    ),
    Rule("external id", UNLINKED, OPERATORS, SHARES),
    Rule("tensor core names", f"{NCCL}|{B200}|{AMD}", OPERATORS, SHARES),
    Rule("tensor core names", f"{BERT}|{QWEN}", OPERATORS, SHARES, "aten::.*attention.*|all"),
    Rule("driver", f"{BERT}|{QWEN}", OPERATORS, SHARES),
    # recommendations
    Rule("communication", UNLINKED, "recommendations", key="communication"),
    Rule("host collectives", GLOO, "recommendations", key="communication"),
    Rule("other makers", AMD, "recommendations", key="mixed_precision"),
    Rule("any kernel", NCCL, "recommendations", key="mixed_precision"),
    Rule("external id", UNLINKED, "recommendations", key="mixed_precision"),
    Rule("tensor core names", V100, "recommendations", key="mixed_precision"),
    # kernels: a row that either side lacks is "calls"; the rest of it follows
    Rule("operator given", f"{UNLINKED}|{BERT}|{QWEN}|{B200}", "kernels by properties"),
    Rule("dropped slices", V100, "kernels by properties", "calls"),
    Rule(
        "tensor core names", f"{NCCL}|{BERT}|{QWEN}|{B200}|{AMD}", "kernels.*", "tensor_core_used"
    ),
    # operators
    Rule("python frames", f"torchcpu_.*|{BERT}|{QWEN}|{B200}", "operators by stack", "rows"),
    Rule("lost backward", LOST, OPERATORS),
    Rule("annotation inside", f"{NCCL}|{V100}|{UNLINKED}", OPERATORS, OWN_TIME, "record_param.*"),
    Rule("external id", UNLINKED, OPERATORS, LAUNCHED),
    Rule("overhead", B200, OPERATORS, OWN_TIME, "aten::copy_.*|all"),
    Rule("driver", f"{BERT}|{QWEN}|{B200}", OPERATORS, LAUNCHED),
    Rule("dropped slices", V100, OPERATORS, f"calls|{OWN_TIME}"),
    Rule("unclaimed call", NCCL, OPERATORS, OWN_TIME, "aten::cudnn_batch_norm_backward.*"),
    Rule("annotation inside", NCCL, OPERATORS, OWN_TIME, "all"),
    # memory
    Rule("memory in no total", CONVNET, "memory_curve|memory_peak"),
    Rule("moved backward", CONVNET, "memory_operators"),
    Rule("lost backward", "torchcpu_memtimeline", "memory_operators|memory_events"),
    Rule("unseen calls", "torchcpu_transformer_gz_[01]", "memory_operators", "calls"),
    Rule("root of the tree", "torchcpu_labels_.*", "memory_events", "operator"),
    # modules
    Rule("calls without id", f"{BERT}|{QWEN}|{B200}", "modules", OWN_TIME),
    Rule("driver", f"{BERT}|{QWEN}|{B200}", "modules", "device_(self|total)_us"),
    # the other tool
    Rule("symmetric memory", B200, "device_time"),
    Rule("earlier launches", "tracelens_(h100|mi300)_qwen", "device_time"),
)


def reason_of(trace: str, figure: Figure) -> str:
    """Return why a figure differs.

    Raises
    ------
    LookupError
        No reason is known.
    """
    twice = figure.table == "kernels by properties" and None not in {figure.ours, figure.theirs}
    if trace == QWEN and twice and figure.column in {"calls", "total_us"}:
        return "pseudo-threads"
    if figure.column == "mean_occupancy_pct" and None not in {figure.ours, figure.theirs}:
        return "impossible zero"
    for rule in RULES:
        if rule.explains(trace, figure):
            return rule.reason
    message = f"{trace}: nobody knows why {figure} differs"
    raise LookupError(message)


def found(data: Path, oracle: Path) -> Iterator[tuple[Place, Known]]:
    """Yield all differences there are, with their reasons."""
    tools = (
        ("kineto_plugin", PLUGIN, plugin_figures),
        (PLUGIN_MEMORY, MEMORY, memory_figures),
        ("tracelens", TRACELENS, tracelens_figures),
    )
    for tool, traces, figures_of in tools:
        for trace in traces:
            for figure in figures_of(open_oracle(tool, trace, oracle, data)):
                if not figure.equal:
                    reason = reason_of(trace, figure)
                    known = Known(plain(figure.ours), plain(figure.theirs), reason)
                    yield place_of(tool, trace, figure), known


if __name__ == "__main__":
    default = Path(__file__).resolve().parents[3] / "shared"
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else default
    write(REASONS, found(shared / "data", shared / "oracle"))
