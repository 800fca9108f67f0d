"""Computes which rows belong together: nesting, launches, backward passes, modules, call stacks.

Nesting is vectorised. Slices are sorted by (thread, start, -end). Each slice first points at the
previous row and, as long as that row does not contain it, moves on to the row that one points at.
All rows move at once, so a run of siblings takes a logarithmic number of rounds. A slice that
outlasts the slice in which it starts becomes a child of the deepest open slice that contains it.

Frames cannot cross. A Python frame that outlasts the frame in which it began was never closed, and
would remove all later slices from their modules. For nesting, it ends with the frame or range in
which it began; its recorded duration is kept. Only such frames and ranges that overlap ranges give
warnings, since the frames that open and close a range always overlap it.

A kernel belongs to the operator whose External id its launching call carries, provided that the
operator is on the call's thread and contains the call's start. Without this check links would be
wrong, since some recorders write the correlation id there.

Call stacks are rebuilt. Only verbose recordings contain the stack of an operator as text. For
others, `model/links/call_stacks.py` uses the Python frames that enclose it; backward operators get
the stack of their forward operator, found by sequence number.
"""
