"""Reads a part of a file: some steps, a time range, or without Python frames.

The range of a part is estimated, read and then checked. A search for step names in the text gives
an estimate of when steps run. Within that range, extended by the steps before and after, everything
is read. Outside of it only steps and memory records become rows; of all other events the extent in
time, the threads, and the calls that launched device work are kept. These tell whether the steps
are as long as in the whole file and whether every launch is known. If not, a second pass reads all
calls and all device work; at worst the range becomes the whole file. `prefilter.py` then cuts the
model to the rows that the tables depend on.
"""
