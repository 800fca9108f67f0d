"""The modules view: the module tree, and the flame graph."""
