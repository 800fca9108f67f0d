"""`compare_workers`: builds the three distributed tables and their notices, as a `Distributed`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.building import arrow_array
from nbprof.ranks import combined_tables, distributed
from nbprof.ranks.table_names import DISTRIBUTED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources import TraceFile


@dataclass(frozen=True)
class Distributed:
    """Tables that compare the workers of a run and span.

    Attributes
    ----------
    overview, wait, ops : pyarrow.Table
        Tables ``distributed_overview``, ``distributed_wait`` and ``distributed_ops``.
    devices : pyarrow.Table
        Table ``device_summary`` of every worker, the worker in the first column.
    run : str
        The run.
    spans : dict of str to int
        The span shown for each worker.
    workers : tuple of str
        The workers in the tables, in order.
    calls : int
        Communication calls of all workers that the filter keeps.
    single_rank : bool
        Whether there is only one rank, so that its waiting time is unknown.
    unpaired : dict of str to int
        By worker, the number of calls that match no calls of other ranks. Their waiting time is
        unknown.
    missing : tuple of int
        Ranks of the job without a trace.
    broken : dict of str to str
        Workers that cannot be read, with the reason.
    """

    overview: pa.Table
    wait: pa.Table
    ops: pa.Table
    devices: pa.Table
    run: str
    spans: dict[str, int]
    workers: tuple[str, ...]
    calls: int
    single_rank: bool
    unpaired: dict[str, int]
    missing: tuple[int, ...]
    broken: dict[str, str]

    def table(self, name: str) -> pa.Table:
        """Return one of the three tables by its name."""
        found: pa.Table = getattr(self, DISTRIBUTED[name])
        return found

    def with_run_and_span(self, name: str) -> pa.Table:
        """Return one of the three tables with the columns run, worker and span first."""
        return combined_tables.with_run_and_span(self.table(name), self.run, self.spans)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        tables = (self.overview, self.wait, self.ops, self.devices)
        return sum(table.nbytes for table in tables)


def compare_workers(
    files: Sequence[TraceFile],
    steps: Mapping[str, pa.Table],
    calls: Mapping[str, pa.Table],
    devices: pa.Table,
    *,
    broken: Mapping[str, str],
    wanted: Sequence[str],
) -> Distributed:
    """Compare workers by their extracts.

    Parameters
    ----------
    files : sequence of TraceFile
        One file of every worker of the run, including those that cannot be read.
    steps, calls : mapping of str to pyarrow.Table
        `RANK_STEPS` and `RANK_CALLS` of all workers, even if only some are wanted: the waiting time
        of a worker follows from the calls of the others.
    devices : pyarrow.Table
        ``device_summary`` of all workers, with the worker in the first column.
    broken : mapping of str to str
        Workers that cannot be read, with the reason.
    wanted : sequence of str
        The workers whose rows are returned.
    """
    measured = distributed.measure(calls, steps)
    ops = _rows_of_workers(measured.ops, wanted)
    shown = {worker: steps[worker] for worker in steps if worker in wanted}
    metadata = devices.schema.metadata
    return Distributed(
        distributed.overview(shown).replace_schema_metadata(metadata),
        _rows_of_workers(measured.wait, wanted).replace_schema_metadata(metadata),
        ops.replace_schema_metadata(metadata),
        _rows_of_workers(devices, wanted),
        files[0].run,
        {file.worker: file.span for file in reversed(files)},
        tuple(shown),
        int(pc.sum(ops["calls"]).as_py() or 0),
        measured.single_rank,
        {worker: count for worker, count in measured.unpaired.items() if worker in wanted},
        _missing_ranks(files),
        dict(broken),
    )


def _missing_ranks(files: Sequence[TraceFile]) -> tuple[int, ...]:
    """Return the ranks below the world size that have no file."""
    world = max((file.world_size or 0 for file in files), default=0)
    there = {file.rank for file in files}
    return tuple(rank for rank in range(world) if rank not in there)


def _rows_of_workers(table: pa.Table, workers: Sequence[str]) -> pa.Table:
    return table.filter(pc.is_in(table["worker"], arrow_array(list(workers), pa.utf8())))
