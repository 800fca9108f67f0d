"""`key_averages`: PyTorch's table of a trace or profiler, as text, HTML, DataFrame and Arrow."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any, Final

from nbprof.analysis.operators.key_averages.averages import Grouping, averages
from nbprof.analysis.operators.key_averages.key_averages import grouping_of
from nbprof.export.text.printed_averages import Layout, Recorded, printed_averages
from nbprof.loading import load
from nbprof.profiles import Profile
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.trace import Trace

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from nbprof.profiles import Source


#: Options that `torch.profiler` writes to its files.
_OPTIONS: Final = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


#: More frames than a stack has.
_ALL_FRAMES: Final = 1 << 30


class KeyAverages:
    """The result of `key_averages`. Printed, it is PyTorch's table; in a notebook, an HTML table.

    Attributes
    ----------
    trace : Trace
        The trace, with its filter.
    grouping : Grouping
        The keys of its rows.
    table : pyarrow.Table
        The rows in the order of first calls, with times in microseconds and sizes in bytes.

    Examples
    --------
    >>> averages = nbprof.key_averages("logs/")
    >>> averages.table.column_names[:3]
    ['name', 'device_type', 'user_annotation']
    >>> averages.text(sort_by="self_cuda_time_total", row_limit=5).count("ms") > 0
    True
    """

    def __init__(
        self, trace: Trace, grouping: Grouping, *, python_functions: bool | None = None
    ) -> None:
        self.trace = trace
        self.grouping = grouping
        if python_functions is None:
            python_functions = not _is_live(trace) or _counts_python_functions()
        self._python_functions = python_functions
        self.table: pa.Table = self._averages(as_printed=False).table

    def text(  # noqa: PLR0917 - the order of PyTorch's table
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int | None = 75,
        max_name_column_width: int | None = 55,
        max_shapes_column_width: int | None = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """Return the table as PyTorch prints it; the parameters are those of its `table`.

        Where stacks and FLOPs are shown together, PyTorch swaps the two columns; here each is under
        its title.

        Parameters
        ----------
        sort_by : str, optional
            Attribute to sort by, such as ``"self_cpu_time_total"``, largest first; ``cuda``,
            ``xpu`` and ``privateuse1`` mean the device. By default the order of first calls.
        row_limit : int, optional
            Maximum number of rows; -1 for all.
        max_src_column_width, max_name_column_width, max_shapes_column_width : int or None, optional
            Maximum widths of columns; None for no maximum.
        header : str, optional
            A line above the table.
        top_level_events_only : bool, optional
            Whether to keep only rows whose first call is in no other.
        time_unit : {"s", "ms", "us"}, optional
            Unit of all times.

        Raises
        ------
        UnknownNameError
            There is no such sort key.
        """
        layout = Layout(
            sort_by=sort_by,
            row_limit=row_limit,
            max_src_column_width=max_src_column_width,
            max_name_column_width=max_name_column_width,
            max_shapes_column_width=max_shapes_column_width,
            header=header,
            top_level_events_only=top_level_events_only,
            time_unit=time_unit,
        )
        return printed_averages(self._averages(as_printed=True), self._recorded(), layout)

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a DataFrame."""
        frame: pd.DataFrame = self.table.to_pandas()
        return frame

    def _averages(self, *, as_printed: bool) -> Any:
        return averages(
            self.trace.model,
            self.trace.active_filter,
            self.grouping,
            python_functions=self._python_functions,
            as_printed=as_printed,
        )

    def _recorded(self) -> Recorded:
        """Return what was recorded; `autograd.profiler` writes no options, so its data decides."""
        metadata = self.trace.model.metadata
        memory = self.table.column("host_memory_bytes")
        device = str(metadata.get("device_type") or "")
        return Recorded(
            memory=memory.null_count < max(len(memory), 1),
            flops=bool(metadata.get("with_flops")) or not any(map(metadata.get, _OPTIONS)),
            device="CUDA" if device == "gpu" else device.upper(),
        )

    def __str__(self) -> str:
        """Return the table as PyTorch prints it."""
        return self.text()

    def __repr__(self) -> str:
        """Return the table as PyTorch prints it."""
        return self.text()

    def _repr_html_(self) -> str:
        """Return the table for notebooks: all columns with a value, the most host time first."""
        from nbprof.export.html.averages import averages_html

        return averages_html(self.table)


def key_averages(
    source: Trace | Profile | Source,
    group_by_input_shape: bool = False,
    group_by_stack_n: int = 0,
    group_by_overload_name: bool = False,
    *,
    python_functions: bool | None = None,
    rebuild_stacks: bool | None = None,
    single_events: bool = False,
) -> KeyAverages:
    """Return the table that PyTorch's profiler prints, row for row.

    ``print(nbprof.key_averages(prof))`` prints what ``print(prof.key_averages().table())`` does,
    also from a file that was recorded elsewhere. The table itself, without the layout, is
    ``trace.key_averages()``, whose documentation describes its rules.

    Parameters
    ----------
    source : Trace, Profile, or what `nbprof.load` takes
        A trace under its filter; or the first trace of a profile, a log directory, a file, or a
        profiler object.
    group_by_input_shape, group_by_overload_name : bool, optional
        Whether input shapes and overloads are keys.
    group_by_stack_n : int, optional
        Number of innermost frames of the call stack that are a key.
    python_functions : bool, optional
        Whether Python functions are rows, as in PyTorch 2.13 and not in 2.11. By default as in the
        PyTorch that made a profiler object; files do not name it, and count as of 2.13.
    rebuild_stacks : bool, optional
        Whether to rebuild call stacks from Python functions where PyTorch has none, as it records
        them as text only with ``verbose=True``. By default for files, and not for profiler objects.
    single_events : bool, optional
        Whether every event is a row, as in ``prof.events().table()``, with its shapes, overload and
        stack.

    Returns
    -------
    KeyAverages

    Examples
    --------
    >>> print(nbprof.key_averages("logs/").text(row_limit=0).splitlines()[1].split()[:3])
    ['Name', 'Self', 'CPU']
    """
    if not isinstance(source, (Trace, Profile)):
        source = load(source)
    trace = source.trace() if isinstance(source, Profile) else source
    if rebuild_stacks is None:
        rebuild_stacks = not (single_events or _is_live(trace))
    grouping = Grouping(
        shapes=group_by_input_shape or single_events,
        overloads=group_by_overload_name or single_events,
        frames=_ALL_FRAMES if single_events else max(group_by_stack_n, 0),
        rebuilt_stacks=rebuild_stacks,
        single_events=single_events,
    )
    return KeyAverages(trace, grouping, python_functions=python_functions)


def _is_live(trace: Trace) -> bool:
    """Return whether a trace was read from a profiler object."""
    return isinstance(trace.file.path, MemoryFile)


def _counts_python_functions() -> bool:
    """Return whether the PyTorch of this process has Python functions in its table."""
    version = getattr(sys.modules.get("torch"), "__version__", "")
    found = re.match(r"(\d+)\.(\d+)", version)
    return found is None or (int(found[1]), int(found[2])) >= (2, 13)


def layout(trace: Trace, limit: int | None, **options: Any) -> str:
    """Return the table for the command line, in PyTorch's layout.

    Parameters
    ----------
    trace : Trace
        The trace, under its filter.
    limit : int or None
        Maximum number of rows; None for PyTorch's own.
    **options
        Options of the table `key_averages`.
    """
    made = KeyAverages(
        trace,
        grouping_of(**options),
        python_functions=options.get("python_functions", True),
    )
    return made.text(
        sort_by=options.get("sort_by"),
        row_limit=Layout.row_limit if limit is None else limit,
        top_level_events_only=options.get("top_level_events_only", False),
    )
