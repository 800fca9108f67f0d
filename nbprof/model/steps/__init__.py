"""The steps of a trace: recorded ones, and annotations chosen as steps.

A step has two ranges. A host row belongs to the step whose range *as recorded on the host* contains
its start, since the host runs ahead of the device; device rows belong to the step of their launch.
Windows (the step breakdown, utilization) use the step extended over its device work. Both ranges
are in `model.Steps`.

A chosen step is a kind. `choose_steps` returns a model whose chosen annotations have the kind
`step`; it shares everything else with the original model, so no other code depends on the choice.
The choice needs the whole recording: a file is read and cached without `step`, then steps are
chosen, and only then is a part selected. Files written by nbprof store the choice and the step
numbers in their header, and give these rows a category of their own.

A recording shows inference if it has operators and no sign of training: no node of the autograd
engine, no optimizer, no arrow between the passes, and no kernel that only a backward pass or an
optimizer runs. For kernels alone this cannot be decided, and nothing is shown. A part of a
recording keeps one row of each sign, so that it is classified like the whole.
"""
