"""What the workers of a run say together, in tables, and what these lack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from nbprof.ranks import distributed, places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from nbprof.sources import TraceFile

#: The three tables by name: which attribute of `Distributed` each is.
TABLES: Final = {
    "distributed_overview": "overview",
    "distributed_wait": "wait",
    "distributed_ops": "ops",
}


@dataclass(frozen=True)
class Distributed:
    """The workers of a run and span, side by side.

    Attributes
    ----------
    overview, wait, ops : pyarrow.Table
        Tables ``distributed_overview``, ``distributed_wait`` and ``distributed_ops``.
    devices : pyarrow.Table
        Table ``device_summary`` of every worker, the worker in the first column.
    run : str
        The run.
    spans : dict of str to int
        By worker, the span that is shown of it.
    workers : tuple of str
        Whose rows there are, in order.
    calls : int
        Communication calls of all workers that the filter keeps.
    alone : bool
        Whether no other rank is there to tell how long this one waited.
    unpaired : dict of str to int
        By worker, calls that could not be laid beside those of other ranks, since these made
        others. What they waited is not known.
    missing : tuple of int
        Ranks of the job that are not there.
    broken : dict of str to str
        Workers that cannot be read, and why.
    """

    overview: pa.Table
    wait: pa.Table
    ops: pa.Table
    devices: pa.Table
    run: str
    spans: dict[str, int]
    workers: tuple[str, ...]
    calls: int
    alone: bool
    unpaired: dict[str, int]
    missing: tuple[int, ...]
    broken: dict[str, str]

    def table(self, name: str) -> pa.Table:
        """Return one of the three tables by its name in the contract."""
        found: pa.Table = getattr(self, TABLES[name])
        return found

    def placed(self, name: str) -> pa.Table:
        """Return one of the three tables with the columns run, worker and span first."""
        return places.placed(self.table(name), self.run, self.spans)

    @property
    def nbytes(self) -> int:
        """Bytes of the tables."""
        tables = (self.overview, self.wait, self.ops, self.devices)
        return sum(table.nbytes for table in tables)


def together(
    files: Sequence[TraceFile],
    steps: Mapping[str, pa.Table],
    calls: Mapping[str, pa.Table],
    devices: pa.Table,
    *,
    broken: Mapping[str, str],
    wanted: Sequence[str],
) -> Distributed:
    """Put together what is kept of each worker.

    Parameters
    ----------
    files : sequence of TraceFile
        One of every worker of the run, those that break too.
    steps, calls : mapping of str to pyarrow.Table
        `RANK_STEPS` and `RANK_CALLS` by worker. Of all workers, also where only some are wanted:
        how long a worker waited only the others tell.
    devices : pyarrow.Table
        ``device_summary`` of all of them, the worker in the first column.
    broken : mapping of str to str
        Why, of those that cannot be read.
    wanted : sequence of str
        The workers whose rows are returned.
    """
    measured = distributed.measure(calls, steps)
    ops = _of(measured.ops, wanted)
    shown = {worker: steps[worker] for worker in steps if worker in wanted}
    metadata = devices.schema.metadata
    return Distributed(
        distributed.overview(shown).replace_schema_metadata(metadata),
        _of(measured.wait, wanted).replace_schema_metadata(metadata),
        ops.replace_schema_metadata(metadata),
        _of(devices, wanted),
        files[0].run,
        {file.worker: file.span for file in reversed(files)},
        tuple(shown),
        int(pc.sum(ops["calls"]).as_py() or 0),
        measured.alone,
        {worker: count for worker, count in measured.unpaired.items() if worker in wanted},
        _missing(files),
        dict(broken),
    )


def _missing(files: Sequence[TraceFile]) -> tuple[int, ...]:
    """Return the ranks that the files say exist and that none of them is."""
    world = max((file.world_size or 0 for file in files), default=0)
    there = {file.rank for file in files}
    return tuple(rank for rank in range(world) if rank not in there)


def _of(table: pa.Table, workers: Sequence[str]) -> pa.Table:
    return table.filter(pc.is_in(table["worker"], pa.array(list(workers), pa.utf8())))
