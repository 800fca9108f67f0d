"""`nbprof.diagnose`: finds out why a view is not drawn, and what to do about it.

A page that lacks a component answers fewer questions. For a model without a class, ipywidgets
creates an error widget with a `_view_module` of its own; a link that sends this field back tells
the two apart. If the kernel has no subshells, answers arrive after the cell, so the output is
updated in place.

The tests build the hub's environments from the one they run in: files of installed packages are
linked into virtual environments outside root's home, and so is the interpreter if other users
cannot read it. Nothing is downloaded.
"""
