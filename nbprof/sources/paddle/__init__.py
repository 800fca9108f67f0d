"""Reads the output of `paddle.profiler`: Chrome JSON and protobuf, of Paddle 2.x and 3.x.

A span is one file, JSON or protobuf; where there are both, `forms.py` finds it out by the first
event, the protobuf is read, and the other is in `profile.skipped()`.

JSON is rounded. Paddle computes microseconds in floats of 24 bits: beyond 16 ms its "exact" times
are off, half a minute after the first event by 2 µs, more than many events take, and stamps are
whole microseconds. Up to 134 ms (4 ns) the arguments are taken as they are. In longer recordings
the errors are known, durations of up to 16 ms are exact, stamps tell the microsecond, and the
file's order which event is inside which: times that meet all of that are found by moving the
sequence of beginnings and ends up from its lower and down from its upper bounds, and selection the
middle. So durations and nesting are those of the protobuf, and starts at most 1 µs off.

A record of memory belongs to the event it stands behind. Its time is cut to a microsecond, at
which one in seven belongs to another event; it is moved to the first moment in it at which its
own event ran.

Many messages at once. All cursors move from field to field together, as arrays; where few
messages are long, they are read one by one. 100 MB (1.6 million rows) take 6 s. Lengths are
compared before they are added, numbers have ten bytes at most, and only known messages are
entered, so depth is bounded by the format.

A damaged time stays where it is. Time zero is that of the slices within a day of the middle one;
others are left out and counted. What stamps say of the clock leaves such ones out too.

Type 15 was MluRuntime before Paddle 3 and is DygraphKernelLaunch since; the calls' names tell.

Arrows are made of correlation ids, from the start of a call to that of its work: in JSON they are
cut, in protobuf missing.
"""
