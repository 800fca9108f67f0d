"""Says in sentences what the readers of differences have to know about the two sides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.analysis.devices.device_rows import has_device
from nbprof.analysis.memory.records import memory_devices
from nbprof.analysis.operators.measured_calls import has_measured
from nbprof.diffs.sides.devices import devices_of, same_devices
from nbprof.diffs.sides.step_pairs import step_pairs
from nbprof.diffs.values.statistics import ENOUGH_STEPS, LEAST_STEPS
from nbprof.model.links.module_tree import module_calls
from nbprof.model.names.roles import operator_rows
from nbprof.model.reprs import some_names
from nbprof.model.trace import kinds
from nbprof.model.units import format_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from nbprof.diffs.sides.sides import Sides
    from nbprof.diffs.spec import DiffTableSpec
    from nbprof.model.trace.model import TraceModel


def notes_of(sides: Sides) -> list[str]:
    """Return sentences about what is compared: steps, noise, devices and workers."""
    return [*_about_steps(sides), *lasting_notes(sides)]


def lasting_notes(sides: Sides) -> list[str]:
    """Return those of the sentences that no filter of steps changes."""
    found = []
    if not same_devices(sides):
        of = [", ".join(sorted(devices_of(side))) for side in (sides.baseline, sides.candidate)]
        found.append(
            f"The sides ran on different devices ({of[0]} and {of[1]}): kernels are compared "
            "through the operators that launch them."
        )
    return found + _workers(sides)


def _about_steps(sides: Sides) -> list[str]:
    found = []
    if sides.per_step:
        counts = sides.complete_steps
        found += _single_steps(sides)
        if min(counts) < LEAST_STEPS:
            found.append(
                f"There is no estimate of the noise: it takes {LEAST_STEPS} complete steps on each "
                f"side, and there are {counts[0]} and {counts[1]}."
            )
        elif min(counts) < ENOUGH_STEPS:
            found.append(
                f"The noise is a rough estimate, of {counts[0]} and {counts[1]} complete steps: "
                "up to three of ten rows that did not change may exceed it. Record "
                f"{ENOUGH_STEPS} or more to know better."
            )
    else:
        without = [
            name
            for name, side in (("baseline", sides.baseline), ("candidate", sides.candidate))
            if not side.has_steps
        ]
        found.append(
            f"Whole recordings are compared, since no steps were recorded in the "
            f"{' and the '.join(without)}; there is no estimate of the noise."
        )
    return found


def _single_steps(sides: Sides) -> list[str]:
    """Return which steps exist on one side only."""
    baseline, candidate = sides.baseline, sides.candidate
    pairs = step_pairs(
        baseline.models[0], candidate.models[0], (baseline.filters[0], candidate.filters[0])
    )
    both = [pair for pair in pairs if None not in pair]
    found = []
    for at, (name, side) in enumerate((("baseline", baseline), ("candidate", candidate))):
        numbers = side.models[0].steps.number
        only = [
            int(numbers[own]) for pair in pairs if (own := pair[at]) is not None and None in pair
        ]
        if only:
            word = "step" if len(only) == 1 else "steps"
            verb = "exists" if len(only) == 1 else "exist"
            found.append(f"{word.capitalize()} {some_names(only)} {verb} only in the {name}.")
    shared = [
        (baseline.models[0].steps.number[a], candidate.models[0].steps.number[b]) for a, b in both
    ]
    if shared and all(a != b for a, b in shared):
        found.append("The sides share no step number, so their steps are paired in order.")
    return found


def _workers(sides: Sides) -> list[str]:
    counts = [len(side.traces) for side in (sides.baseline, sides.candidate)]
    if counts == [1, 1]:
        return []
    of_baseline = format_count(counts[0], "worker")
    text = (
        f"Figures are means over {of_baseline} in the baseline and {counts[1]} in the candidate; "
        "the steps and the call tree with its modules are those of the first worker of each."
    )
    return [text]


def missing(sides: Sides, spec: DiffTableSpec) -> str:
    """Return a sentence why a table has no rows; empty if both sides have its data."""
    if not spec.needs:
        return ""
    return next(
        (
            f"{name.capitalize()}: {model.dialect.hint(spec.needs)}"
            for name, side in (("baseline", sides.baseline), ("candidate", sides.candidate))
            for model in side.models
            if not _HELD[spec.needs](model)
        ),
        "",
    )


#: Whether a trace has a kind of data, by the keys of `PLAIN_HINTS` that tables of differences need.
_HELD: Final[dict[str, Callable[[TraceModel], bool]]] = {
    "operators": lambda model: bool(operator_rows(model).any()) or has_measured(model),
    "kernels": lambda model: bool((model.column("device", "kind") == kinds.KERNEL).any()),
    "device": has_device,
    "modules": lambda model: bool(module_calls(model).any()),
    "memory": lambda model: bool(memory_devices(model)),
}
