"""Tables about modules and call stacks: the module tree, the flame graph, stacks as text.

A row belongs to the innermost module around it or, in the backward pass, to the module of its
forward operator. `modules` has separate columns for the two. If several modules call a module, each
shows the figures of all its calls. In the left-heavy flame graph, every stack appears once, with
the backward pass above its modules.

A flame graph is cut to the screen like a timeline. For a range,
`widgets/views/flames/flame_window.py` returns the frames that are at least a pixel wide and blocks
for the rest, with their count and sum; the browser scales what it has until the detailed reply
arrives. The module tree is also expanded in Python (`widgets/views/trees.py`): the browser
sends what was opened or closed, and gets rows.
"""
