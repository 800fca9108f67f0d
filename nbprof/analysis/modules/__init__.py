"""Modules and call stacks: the module tree, the flame graph, stacks as text.

Modules are where they run, twice. A row belongs to the innermost module round it; in the backward
pass, to that of its forward operator. `modules` keeps the two apart in columns, and shows of a
module that several others call the figures of all its calls under each. In the left-heavy flame
graph every stack counts once, with the backward pass above its modules.

A flame graph is cut like a timeline. `widgets/views/flame_window.py` answers a range with the
frames that are a pixel wide and blocks of the rest, with their number and sum; the browser zooms
in what it has until the finer answer is there. The tree of modules is opened in Python too
(`widgets/views/module_rows.py`): the browser says what was opened and closed, and gets lines.
"""
