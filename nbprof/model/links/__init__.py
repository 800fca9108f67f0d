"""Which rows of a trace belong together: nesting, launches, backward passes, modules, stacks.

Nesting without a loop. Slices are sorted by (thread, start, -end). Each first points at the row
before it and, as long as that one does not contain it, moves on to where that row points. All
rows move at once, so a run of siblings is crossed in logarithmically many rounds. A slice that
sticks out of another becomes a child of the deepest open one that holds it.

Frames cannot cross. A Python frame that outlasts one in which it began was never closed, and
would take all later slices out of their modules. For nesting it ends with the frame, or range, in
which it began; its recorded duration stays. Only such frames, and ranges that overlap ranges, are
warnings: the frames that open and close a range always overlap it.

A kernel's operator is the one whose External id the launching call carries only if it is on the
call's thread and contains the call's start; some recorders write the correlation id there.

Call stacks are rebuilt. Only verbose recordings write an operator's stack as text. Elsewhere
`model/links/call_stacks.py` takes the Python frames that enclose it; backward operators take the
stack of their forward operator, by sequence number.
"""
