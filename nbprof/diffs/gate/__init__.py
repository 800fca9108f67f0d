"""A gate: limits on how much worse a run may be, and whether a comparison keeps them."""
