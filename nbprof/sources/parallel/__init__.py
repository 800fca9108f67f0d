"""Reads one large file with several processes.

Cuts are verified. Helpers start at multiples of the window size, at the last gap between events
before each. A reader may stop at a cut only if it reaches exactly that byte with nothing left over.
The next reader is then in the same state as this one would be, and windows, text codes, repairs and
examples are the same as with a single reader. Otherwise, such as when a broken event spans the cut,
it reads on to the next cut. If a helper fails for any reason, the process that started it reads on
from its own cut, so errors are raised in the same place as without helpers.

Helpers never outlive the read. They are started by `subprocess` with the module search path of this
process. This avoids a `fork` beside the threads of a kernel and a second run of the user's main
module. The current directory is searched last, so that a `queue.py` beside a notebook does not
replace Python's. Helpers ignore Ctrl-C, are killed however the read ends, and exit when their
standard input closes, as it does when the reader is killed.

Results are passed in an anonymous memory file, which is mapped, not copied; pipes carry only
progress.

Parts are large enough to be worth a process. A part has at least 48 MB of JSON, and that of this
process 36 MB more, the amount it reads while a helper starts. All reads of a process share its
processors (affinity and container limit, or `NBPROF_PROCESSES`).
"""
