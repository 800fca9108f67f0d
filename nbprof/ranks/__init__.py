"""Tables over many ranks: reads each rank once and keeps an extract of it.

An extract is exact or absent. A table that does not fit into the size limit of an extract is
computed from the trace when it is requested.

Collectives are matched by counting. The k-th call of a process group is the same collective on all
ranks if all ranks made the same calls, with equal sizes where the collective requires it. Otherwise
calls are counted within each step. Where that fails too, the waiting time is unknown, and the view
names the workers concerned. The shortest of the matched calls is the transfer time, and it is the
last part of each call. A filter chooses which calls are counted, never which calls are matched.

A call is active while its kernels run; a call without kernels, of a backend on the host, is active
during its host range. NPUs measure transfer and waiting themselves; their bytes are the payload,
counted once.

There are three bandwidths. `algo_gbps` divides the message size by the transfer time. `bus_gbps`
divides the bytes on all links of the worker by the same time. `link_gbps` divides the bytes on one
link by the time that this link was busy. NPUs have only the last two: the message size is unknown,
since a rank may have seven links. `distributed_wait.other_us` is the part of their latency that is
neither transfer nor waiting, so that the parts sum to the latency.

The distributed view reads ranks for a second at a time and replies with its progress; the browser
then asks again. In between, filters and other views are answered, and reading can be stopped.

An executor owns the processors: with one, a large file is not split among further processes.
"""

from nbprof.ranks.ranks import Ranks
from nbprof.ranks.run_comparison import RunComparison

__all__ = ["Ranks", "RunComparison"]
