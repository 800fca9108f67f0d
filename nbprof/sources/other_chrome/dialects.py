"""The dialects of Chrome traces of other programs: they name no framework but their own."""

from __future__ import annotations

from typing import Final

from nbprof.model.trace.dialect import Capabilities, Dialect, Vocabulary

#: Names of the recorders.
XLA: Final = "JAX or TensorFlow"
CHROME: Final = "Chrome trace"

_WHOLE: Final = (
    "No steps are marked, so the whole recording is one step, from its first to its last slice."
)
_CHOOSE: Final = "choose it under “Steps by”, or with nbprof.show(…, step='its name')."
#: Slices of other programs have no stages of training.
_CAPABILITIES: Final = Capabilities(stages=False)

OF_XLA: Final = Dialect(
    capabilities=_CAPABILITIES,
    vocabulary=Vocabulary(
        compiler="jax.jit",
        autocast="bfloat16",
        copy_overlap="jax.device_put for the next batch while a step runs",
        mark_steps=f"Put every step into a jax.profiler.TraceAnnotation and {_CHOOSE}",
    ),
    hints={
        "steps": f"{_WHOLE} Put every step into a jax.profiler.TraceAnnotation and {_CHOOSE}",
        "user_events": "Mark parts of the program with jax.profiler.TraceAnnotation(name).",
        "shapes": "No input shapes in this trace: XLA's traces have none.",
        "stacks": "No call stacks of operators in this trace: XLA's traces have none.",
        "memory": "No memory in this trace: XLA's traces have none.",
        "modules": "No modules in this trace: XLA's traces have none.",
    },
)

OF_CHROME: Final = Dialect(
    capabilities=_CAPABILITIES,
    vocabulary=Vocabulary(mark_steps=f"Put every step into a slice and {_CHOOSE}"),
    hints={
        "steps": f"{_WHOLE} Put every step into a slice and {_CHOOSE}",
        "user_events": "No slices of a category that nbprof does not know are in this trace.",
    },
)
