"""Many ranks: what is kept of each, and reading them somewhere else.

A summary is exact or absent. A table that does not fit into what may be kept of a rank is made
from the trace when it is asked for.

A collective is found by counting. The k-th call of a process group is one on all ranks, if all
made the same calls, with the same bytes where a collective has these everywhere; else within each
step by itself; else nothing is said, and the view names whom that is about. Data moves as long as
the shortest of the calls, the last part of each. A filter says which calls count, never which are
laid side by side.

A call is at work while its kernels run, or during its host range where it has none and the
backend is one of the host. NPUs measure transfer and waiting themselves; their bytes are the
payload, once.

Three bandwidths. `algo_gbps` is the whole message by transfer time, `bus_gbps` what all links of
the worker carry for it by the same time, `link_gbps` what one link carried while it was busy.
NPUs tell only the last two: their message is unknown, as a rank may have seven links.
`distributed_wait.other_us` is what they tell of neither transfer nor waiting, so that the parts
sum to the latency.

The view of workers reads for a second at a time and answers how far it has come; the browser asks
again. So filters and other views are answered in between, and a Stop stops.

The executor owns the processors. Under one, a large file is not split over further processes.
"""

from nbprof.ranks.distributed_tables import DistributedTables
from nbprof.ranks.ranks import Ranks

__all__ = ["DistributedTables", "Ranks"]
