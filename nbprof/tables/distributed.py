"""Specs of `distributed_overview`, `distributed_wait` and `distributed_ops` (workers compared)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.model.contract.spec import TableSpec
from nbprof.ranks.distributed import DISTRIBUTED_OPS, DISTRIBUTED_OVERVIEW, DISTRIBUTED_WAIT
from nbprof.ranks.left_out import left_out
from nbprof.tables.methods import TRACE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.profiles import Profile


def _table(name: str) -> Callable[..., pa.Table]:
    """Return the function that makes one of the three tables."""

    def make(profile: Profile, filter_: Filter, **options: Any) -> pa.Table:
        distributed = profile._distributed(filter_=filter_, **options)
        left_out(name, distributed.broken, profile._names, stacklevel=4)
        return distributed.with_run_and_span(name)

    return make


OVERVIEW_TABLE: Final = TableSpec(
    name="distributed_overview",
    summary="computation and communication by step and worker, means first",
    columns=DISTRIBUTED_OVERVIEW,
    make=_table("distributed_overview"),
    scope="profile",
    options=TRACE_OPTIONS,
    keys=("step", "worker"),
)

WAIT_TABLE: Final = TableSpec(
    name="distributed_wait",
    summary="time of data transfer and waiting, by step and worker",
    notes="Means over steps come first. Unknown times have no rows: with a single worker, "
    "and in steps in which workers made different calls.",
    columns=DISTRIBUTED_WAIT,
    make=_table("distributed_wait"),
    scope="profile",
    options=TRACE_OPTIONS,
    keys=("step", "worker"),
)

OPS_TABLE: Final = TableSpec(
    name="distributed_ops",
    summary="the communication operators of every worker, longest first",
    columns=DISTRIBUTED_OPS,
    make=_table("distributed_ops"),
    scope="profile",
    options=TRACE_OPTIONS,
    keys=("worker", "name"),
    sums=("calls", "total_bytes", "total_latency_us"),
    nouns=("communication operator", "communication operators"),
)
