"""Which rows of a trace belong together: nesting, launches, backward passes, modules, stacks."""
