"""The dialect of Python's profilers: they sum calls and times by function, and nothing else."""

from __future__ import annotations

from typing import Final

from nbprof.model.trace.dialect import Dialect, Vocabulary

_TRACE: Final = "This is Python's own profile, of functions only; record {} with torch.profiler."

#: One sentence for each kind of data that such profiles never contain.
HINTS: Final = {
    "device": f"No device work in this profile. {_TRACE.format('it')}",
    "kernels": f"No kernels in this profile. {_TRACE.format('them')}",
    "shapes": f"No input shapes in this profile. {_TRACE.format('them')}",
    "stacks": "No call stacks in this profile, only which function called which.",
    "memory": f"No memory was recorded. {_TRACE.format('it')}",
    "modules": f"No modules recorded. {_TRACE.format('them')}",
    "steps": "Python's own profile has no steps: it sums calls and times by function.",
    "slices": "Python's own profile sums calls; it does not say when they began and ended.",
    "operators": f"No operators in this profile. {_TRACE.format('them')}",
    "user_events": "Python's own profile has no annotations, only functions.",
    "placed": "Python's own profile does not say when and on which thread functions ran.",
}

DIALECT: Final = Dialect(
    vocabulary=Vocabulary(compiler="torch.compile", autocast="torch.autocast"),
    hints=HINTS,
)
