"""Details of one slice: its properties, and the slices connected with it."""
