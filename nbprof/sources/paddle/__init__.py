"""Reads the output of `paddle.profiler`: Chrome JSON and protobuf, of Paddle 2.x and 3.x.

A span is one file, JSON or protobuf. If both exist, `duplicates.py` detects it by the first event;
the protobuf is read, and the JSON is listed in `profile.skipped()`.

JSON is rounded. Paddle computes microseconds as floats with 24 bits: after 16 ms its "exact" times
have errors, which reach 2 µs after half a minute, longer than many events, and stamps are whole
microseconds. Up to 134 ms (an error of 4 ns) the arguments are used unchanged. For longer
recordings, times are restored from known facts: the bounds of the errors, durations of up to 16 ms,
which are exact, the microsecond of each stamp, and the nesting, which follows from the file's
order. The sequence of starts and ends is moved up from its lower and down from its upper bounds,
and the middle is used. Durations and nesting then equal those of the protobuf, and starts are off
by at most 1 µs.

A memory record belongs to the event it follows in the file. Its time is truncated to a microsecond,
at which, for one record in seven, another event was running; the record is moved to the first
moment within that microsecond at which its own event ran.

Protobuf messages are decoded in bulk. All cursors move from field to field together, as arrays; if
only a few messages remain, they are read one by one. 100 MB (1.6 million rows) take 6 s. Lengths
are compared before they are added, numbers have at most ten bytes, and only known messages are
entered, so depth is bounded by the format.

Damaged times are confined. Time zero is the first slice within a day of the median; slices further
away are dropped and counted, and not used to calibrate the clock.

Type 15 was MluRuntime before Paddle 3 and is DygraphKernelLaunch since; the names of the calls
distinguish them.

Arrows are made from correlation ids, from the start of a call to the start of its work: in JSON
their times are truncated, in protobuf they are missing.
"""
