"""Why nothing is drawn, and what to do about it.

A page that misses something answers less. In place of a model that it has no class for,
ipywidgets makes one that shows an error, whose `_view_module` is its own: a link that carries
that field back tells the two apart. Answers come after the cell where the kernel has no subshell,
so the output is updated in place.

The hub's environments are made of what the tests run in. The files of the installed packages are
linked into virtual environments outside of root's home, the interpreter too where others cannot
read it; nothing is downloaded.
"""
