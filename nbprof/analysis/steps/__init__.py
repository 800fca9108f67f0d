"""The time of steps, by category and by stage.

Stages are those that a recording has. `STAGES` are all there are, of which `stages_of` says which
have rows: five of training, of inference those without a backward pass, with prefill, decode and
mixed batches where labels tell them apart. An outermost label counts whole, before the operators
inside of it.

A step is here what the host recorded. Its stages sum to that, not to the step extended over its
device work: where the host runs ahead, its stages lie before the time that the device is busy
with them. Device work belongs to the stage that its launch began in, and counts whole, wherever
it ran. Without any host row there are no stages, and device times are null where no launch is
known.

Stages are found however deep. The outermost stage under a step counts, whatever ranges of the
user lie between, and stages inside it do not. Stages on threads without a step, such as those of
workers that load data, are none of the step's; all other rows and device work go by the time of
the step's thread.

A union is one. Kernels of two stages at one time are one time of the device: the row of the steps
may be less than its stages together, which VisualDL adds up. On Paddle's traces only kernels
count for stages, and `device_summary` is against the time of the steps on the host, both as there
(kernels whose launch is lost count where they started, which it drops);
`tests/oracle/visualdl/reasons.py` lists where ours differ, and why.

A launch of kernels is where an operator computes. Paddle 3 writes these in place of `… compute`,
and all of a backward operator inside a part `Local_…`: phases are looked for below parts that
have none of their names.
"""
