"""Modules and call stacks: the module tree, the flame graph, stacks as text."""
