"""Tables about steps: their time by category and by stage, on host and device.

`STAGES` are all stages; `stages_of` returns those that have rows in a recording: five for training;
for inference no backward pass and optimizer, but prefill, decode and mixed batches if labels mark
them. An outermost label counts in full and takes precedence over the operators inside it.

For stages, a step is what the host recorded. Its stages sum to that, not to the step extended over
its device work: if the host runs ahead, its stages precede the device work they launch. Device work
belongs to the stage in which its launch began, and counts in full wherever it ran. Without host
rows there are no stages, and device times are null if no launches are known.

Stages are found at any depth. The outermost stage under a step counts, whatever user ranges lie
between; stages inside it do not. Stages on threads without a step, such as data loading workers, do
not belong to the step; all other rows and device work are assigned by the time on the step's
thread.

Concurrent kernels of two stages count once in the device time of a step, so a step may take less
than the sum of its stages, which VisualDL shows instead. For Paddle's traces, as in VisualDL, only
kernels count for stages, and `device_summary` refers to the time of the steps on the host (VisualDL
drops kernels with unknown launches; here they count where they started);
`tests/oracle/visualdl/reasons.py` lists the differences and their reasons.

A kernel launch counts as the compute phase of an operator. Paddle 3 records launches instead of `…
compute`, and everything in a backward operator inside a part `Local_…`: phases are therefore also
searched below parts that are not phases.
"""
