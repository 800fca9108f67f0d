"""Reads an Ascend directory into a `TraceModel`, from whichever of its files are readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.model.errors import TraceFormatError, lacks_memory
from nbprof.model.trace.model import TraceModel
from nbprof.sources.ascend import communication, file_names
from nbprof.sources.ascend.csv import kernels as csv_kernels
from nbprof.sources.ascend.csv import memory as csv_memory
from nbprof.sources.ascend.csv import operators as csv_operators
from nbprof.sources.ascend.csv import steps as csv_steps
from nbprof.sources.ascend.csv.table import read_csv
from nbprof.sources.ascend.dialect import DIALECT
from nbprof.sources.ascend.probing import read_descriptions
from nbprof.sources.ascend.tables import timeline
from nbprof.sources.ascend.tables.clock import Clock
from nbprof.sources.ascend.trace import view as trace_view
from nbprof.sources.defects import DefectLog
from nbprof.sources.files.whole_file import read_bytes
from nbprof.sources.options import READ_ALL, ReadOptions
from nbprof.sources.progress import Progress, Reporter

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.files.opening import AnyPath


def read(
    file: TraceFile, options: ReadOptions = READ_ALL, *, progress: Progress = "auto"
) -> TraceModel:
    """Read a directory.

    A file that cannot be read gives a warning; the other files are still read.

    Parameters
    ----------
    file : TraceFile
        The directory, as found by `discover`.
    options : ReadOptions
        The directory is always read completely, except the kinds in `without`.
    progress : "auto", False or callable
        As for `nbprof.sources.kineto.reading.read`; bytes are counted over all files.

    Raises
    ------
    TraceFormatError
        No file can be read, or, if strict, not all of them.
    """
    defects = DefectLog(str(file.path), strict=options.strict)
    with Reporter(progress, file.bytes, file.worker) as report:
        return _Reading(file, options, defects, report).model()


class _Reading:
    """Reads the parts of one directory, each once."""

    def __init__(
        self, file: TraceFile, options: ReadOptions, defects: DefectLog, report: Reporter
    ) -> None:
        self._parts = file_names.by_kind(file.parts)
        self._options = options
        self._defects = defects
        self._report = report
        self._bytes = file.bytes
        self._done = 0
        self._read: list[str] = []

    def model(self) -> TraceModel:
        """Return the model of all parts."""
        defects = self._defects
        metadata: dict[str, Any] = {"format": file_names.FORMAT, "device_type": "npu"}
        metadata |= read_descriptions(self._parts)
        trace = self._part(
            file_names.TRACE_VIEW,
            lambda path, odd, update: trace_view.read_trace(path, self._options, odd, update),
        )
        memory: dict[str, pa.Table] = self._csv(file_names.OPERATOR_MEMORY, csv_memory.blocks) or {}
        components = [
            found
            for kind, is_module in (
                (file_names.MEMORY_RECORD, False),
                (file_names.MODULE_MEMORY, True),
            )
            if (found := self._csv(kind, csv_memory.components, is_module=is_module)) is not None
        ]
        device = csv_memory.only_device([*memory.values(), *components])
        kernels = self._csv(file_names.KERNELS, csv_kernels.kernels, device=device)
        operators = self._csv(file_names.OPERATORS, csv_operators.operators)
        steps = self._csv(file_names.STEP_TIMES, csv_steps.step_times, device=device)
        collectives: dict[str, pa.Table] = (
            self._part(
                file_names.COMMUNICATION,
                lambda path, odd, update: communication.communication(
                    read_bytes(path, update), path.name, odd
                ),
            )
            or {}
        )
        clock = Clock(defects)
        if trace is not None:
            clock.add("the trace", [trace.first_ns, trace.end_ns])
        if kernels is not None:
            clock.add_slices(file_names.KERNELS, kernels, "start_ns", "duration_ns")
        clock.add_table(file_names.COMMUNICATION, collectives.get("communication"), "start_ns")
        clock.add_table(file_names.OPERATOR_MEMORY, memory.get("memory"), "time_ns")
        for table in components:
            clock.add_table("memory of components", table, "time_ns")
        zero = clock.zero_ns
        tables = timeline.build(trace, kernels, operators, zero, defects, device=device)
        tables |= {name: clock.relative(table) for name, table in memory.items()}
        tables |= {name: clock.relative(table) for name, table in collectives.items()}
        if components:
            tables["memory_components"] = clock.relative(csv_memory.sorted_components(components))
        if steps is not None:
            tables["npu_steps"] = steps
        if not any(table.num_rows for table in tables.values()):
            raise self._empty_error()
        self._report.update(self._bytes)
        own = (kernels, operators, steps, *components, *memory.values(), *collectives.values())
        rows = sum(table.num_rows for table in own if table is not None)
        metadata |= {
            "epoch_ns": zero,
            "end_ns": clock.end_ns - zero,
            "events": rows if trace is None else trace.events + rows,
            "files": tuple(self._read),
        }
        return TraceModel(tables, metadata, defects.warnings(), dialect=DIALECT)

    def _csv(self, kind: str, make: Callable[..., Any], **details: Any) -> Any:
        """Return the parsed CSV file, None if it is missing or cannot be read."""
        return self._part(
            kind,
            lambda path, odd, update: make(read_csv(path, odd, update), odd, **details),
        )

    def _part(
        self, kind: str, read: Callable[[AnyPath, DefectLog, Callable[[int], None]], Any]
    ) -> Any:
        """Return the parsed part, None if it is missing or cannot be read."""
        if kind not in self._parts:
            return None
        path = self._parts[kind]
        reached = 0

        def update(done: int) -> None:
            nonlocal reached
            reached = max(reached, done)
            self._report.update(self._done + reached)

        odd = DefectLog(str(path), strict=self._options.strict)
        try:
            content = read(path, odd, update)
        except OSError as error:
            if lacks_memory(error):
                raise
            self._note_unread(path, error.strerror or str(error))
        except TraceFormatError as error:
            reason = str(error)
            if self._options.strict and reason.startswith(str(path)):
                raise
            self._note_unread(path, reason.removeprefix(str(path)).lstrip(": "))
        else:
            self._read.append(path.name)
            self._defects.add(odd.found())
            return content
        finally:
            self._done += reached
        return None

    def _note_unread(self, path: AnyPath, reason: str) -> None:
        self._defects.note("file not read", 1, f"{path.name}: {reason}")

    def _empty_error(self) -> TraceFormatError:
        losses = "; ".join(f"{one.kind}: {one.example}" for one in self._defects.warnings())
        names = ", ".join(path.name for path in self._parts.values())
        reason = f"nothing is recorded in its files ({names})"
        return self._defects.failure(f"{reason}. {losses}" if losses else reason)
