"""Reads the output of the Ascend profiler: a directory of CSV and JSON files per worker and span.

A worker and span is a directory of up to eight files, any of which may be missing.
`TraceFile.parts` names those that are read. `sources/discovery/file_version.py` combines their
versions into one, so that the cache and the extracts of ranks notice when any of them changes.

Arrow parses, and Python repairs. Regular rows never become Python objects; Arrow returns invalid
rows as text with their row numbers, and they are padded or cut as `csv.DictReader` does, and put
back in place. Most columns are read as dictionaries, so that each distinct text is parsed once. 200
MB take 3 to 5 s.

An unclosed quote turns all lines up to the next quote into one cell. If these lines are valid rows,
they are restored as rows; cells of shapes and call stacks may have several lines.

Times are decimals. Microseconds since 1970 with three decimals do not fit a float64; they are
parsed as Arrow decimals, whose integer values are the nanoseconds.

Errors are confined to their file. A file that cannot be read gives a warning that names it, and the
others are still read; `metadata["files"]` lists the files that were read. Events on a different day
than most are dropped and counted, since a single one would move time zero.

Spans are ordered by time. Dates are compared digit by digit, since newer versions append
milliseconds; other numbers are compared by value. If two profilers recorded workers of the same
name in a run, the workers of the later format get its name, ``rank0 (Ascend)``.
"""
