"""Reads the output of the Ascend profiler: a directory of CSV and JSON files per worker and span.

A worker and span is a directory of up to eight files, any of which may be missing.
`TraceFile.parts` names those that are read; `sources/discovery/file_version.py` makes one version
of all of them, so that the cache and what is kept of ranks know when any of them changes.

Arrow parses, Python mends. Regular rows never become Python objects; what Arrow refuses comes
back as text with its number, is padded or cut as `csv.DictReader` would, and put back where it
was. Nearly all columns are read as dictionaries, so that each different text is made a number
once. 200 MB take 3 to 5 s.

A quote that is not closed makes one cell of all lines up to the next. Where the lines are rows by
themselves, they are taken as rows; cells of shapes and call stacks may have several lines.

Times are decimals. Microseconds since 1970 with three decimals do not fit a float64; they go
through Arrow's decimals, whose bytes are the nanoseconds.

What breaks of a file stays with it. A file that cannot be read is a warning that names it, the
others are there; `metadata["files"]` says which were read. Events of another day than most are
left out and counted, since one of them would move time zero for all.

Spans go by time. Dates are compared digit by digit, since newer versions write milliseconds
behind the seconds; other numbers by their value. Where two profilers recorded workers of one name
in a run, all of the later formats' are called after them, ``rank0 (Ascend)``.
"""
