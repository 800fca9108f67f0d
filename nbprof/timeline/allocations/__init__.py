"""What the screen shows of an allocator snapshot: blocks stacked over time, and rows of segments.

A column of pixels may cover thousands of events. It shows one moment of them, that with the most
memory in use, so that no peak is lost and the stacked blocks of a column did exist together. Blocks
that are too low to see, and those beyond the most that are drawn, are summed into one band on top.
"""
