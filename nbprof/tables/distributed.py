"""Tables `distributed_overview`, `distributed_wait` and `distributed_ops`: workers side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from nbprof.model.contract import ranks as contract_ranks
from nbprof.model.contract.spec import TableSpec
from nbprof.tables.methods import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.profile import Profile


def _table(name: str) -> Callable[..., pa.Table]:
    """Return the function that makes one of the three tables."""

    def make(profile: Profile, filter_: Filter, **options: Any) -> pa.Table:
        return profile.distributed(filter_=filter_, **options).placed(name)

    return make


OVERVIEW_TABLE: Final = TableSpec(
    name="distributed_overview",
    summary="computation and communication by step and worker, means first",
    columns=contract_ranks.DISTRIBUTED_OVERVIEW,
    make=_table("distributed_overview"),
    scope="profile",
    options=PLACES,
    keys=("step", "worker"),
)

WAIT_TABLE: Final = TableSpec(
    name="distributed_wait",
    summary="how long data moved and workers waited, by step and worker",
    notes="Means over steps come first. There are no rows for what is not known: for the only"
    " worker there is, and steps in which workers made different calls.",
    columns=contract_ranks.DISTRIBUTED_WAIT,
    make=_table("distributed_wait"),
    scope="profile",
    options=PLACES,
    keys=("step", "worker"),
)

OPS_TABLE: Final = TableSpec(
    name="distributed_ops",
    summary="the communication operators of every worker, longest first",
    columns=contract_ranks.DISTRIBUTED_OPS,
    make=_table("distributed_ops"),
    scope="profile",
    options=PLACES,
    keys=("worker", "name"),
    sums=("calls", "total_bytes", "total_latency_us"),
    nouns=("communication operator", "communication operators"),
)
