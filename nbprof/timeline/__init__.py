"""The timeline of one trace: slices on lanes, windows of them at any level of detail.

A level is a list of firsts. Slices are sorted by row and start. At level k, neighbours of a row
that are shorter than 2^k ns and start in the same aligned column of 2^k ns are one block; longer
ones stay alone. In a column there are then at most one block and one slice, and both are runs of
the sorted sequence: a level is nothing but the index of each run's first slice. Counts are
differences of indices and busy times differences of a running sum, so they are exact at every
zoom, and a window that cuts a block trims it by index. A level is kept where it is much shorter
than the one before; the others are merged from it when asked for.

The answer is bounded by the screen. A window takes the smallest k whose column is no narrower
than a pixel, and a larger one where the reply would not fit.

Each lane has the steps of its side. The ruler and the lines over host lanes show steps as the
host recorded them; the band of a device, and the lines over its lanes, the extent of the device
work that each step launched. A filter of steps leaves both in sight.

Overlaps get rows. A slice takes the first row below its parent's in which nothing is running.
What nests keeps its depth; what overlaps moves down and is counted.

The browser never waits. It draws the last answer, over the snapshot, until the next is there; one
request is in flight, the newest waits.
"""
