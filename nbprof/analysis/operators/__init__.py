"""Tables about operators: their calls, times, phases and parts, and the user's annotations.

The operator of device work may differ from its launch. torch_npu's operators queue their work, and
another thread launches it: `links.operator` follows the recorder's arrow from the operator to the
device work, `links.launch` that from the launch. Modules, annotations and call stacks are those
around the operator (`sources_of_device`).

The recorder's sums are used. `operator_details.csv` contains durations of operators, without start
times if there is no trace: such calls are left out if a filter has a time range, threads or a part
of the device work. With a trace, tests check to the nanosecond that the sums equal those of the
linked device rows. For AI Cores, torch_npu counts tasks of that name, without kernels that mix both
kinds of core; `device_summary` includes the latter.

Rows of `npu_steps` are never cut or narrowed; a time range selects the steps that begin in it.
Without the recorder's file, they are summed from the overlap lanes of the trace or, without these,
from the kernels.

In `kernels`, the core of a name does not depend on the filter, so pages without Python show the
same.
"""
