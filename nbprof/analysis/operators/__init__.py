"""Operators: their calls, times, phases and parts, and the user's annotations.

Who asked is not who called. torch_npu's operators queue their work, and another thread makes the
calls: `links.operator` comes from the recorder's own arrow from operator to device work,
`links.launch` from the call's. Modules, annotations and call stacks are those round the operator
(`sources_of_device`).

The recorder's sums are believed, and checked. `operator_details.csv` tells times of operators,
without a time of day where there is no trace: such calls are left out where a filter asks for
times, threads or a part of the device work. With a trace the sums are those of the rows that the
arrows lead to, to the nanosecond; tests hold that. Of AI Cores torch_npu counts what its tasks
call so, without kernels that mix both kinds of core; `device_summary` counts these too.

Whole steps stay whole. Nothing cuts or narrows a row of `npu_steps`; a time range takes the steps
that begin in it. Without the file they are added up from the bars under the trace, else from the
kernels.

A name has one core in `kernels`, whatever the filter: it is a fact about the name, so that pages
without Python say the same.
"""
