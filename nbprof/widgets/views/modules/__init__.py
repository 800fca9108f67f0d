"""The modules view: the tree of modules, and the flame graph."""
