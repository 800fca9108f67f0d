"""The timeline of one trace: slices on lanes, and windows of them at any level of detail.

Levels of detail. Slices are sorted by row and start. At level k, neighbours in a row that are
shorter than 2^k ns and start in the same aligned column of 2^k ns form a block; longer slices stay
separate. A column then contains at most one block and one slice, and both are runs of the sorted
sequence, so a level only stores the index of each run's first slice. Counts are differences of
indices and busy times differences of a running sum, so they are exact at every zoom, and a window
that cuts a block trims it by index. A level is stored if it is much shorter than the one before;
the others are merged from it on request.

Replies are bounded by the screen. A window uses the smallest k whose column is at least a pixel
wide, or a larger one if the reply would not fit.

Each lane shows the steps of its side. The ruler and the lines over host lanes show steps as the
host recorded them; the band of a device and the lines over its lanes show the extent of the device
work that each step launched. Filtering by steps hides neither.

A slice is placed in the first row below its parent's that is free. Nested slices keep their depth;
overlapping slices move down and are counted.

The browser never blocks. It draws the last reply over the saved state until the next arrives; one
request is in flight, and only the newest one is queued.
"""
