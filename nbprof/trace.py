"""`Trace`: one worker and span of a profile."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from nbprof.content import content_of
from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.filter import NO_FILTER, Filter, narrowed
from nbprof.model.names.private_frames import private_model
from nbprof.model.signatures import named_keywords
from nbprof.model.steps.step_choice import step_candidates
from nbprof.sources import READ_ALL
from nbprof.tables.trace import TraceTables
from nbprof.trace_files import TraceFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from typing_extensions import Unpack

    from nbprof.content import TraceContent
    from nbprof.model.steps.step_choice import StepCandidate
    from nbprof.model.trace.model import TraceModel
    from nbprof.sources import ReadOptions, TraceFile

__all__ = ["Reader", "Trace"]

#: Reads a `TraceContent`, reporting progress as requested.
Reader: TypeAlias = "Callable[[TraceContent, Any], TraceModel]"


class Trace(TraceFiles, TraceTables):
    """One worker and span of a profile, optionally narrowed by a filter.

    The file is read when its data are first needed. Get a trace from `Profile.trace`.

    Attributes
    ----------
    file : TraceFile
        The file that holds the trace.
    active_filter : Filter
        The filter that applies to its tables.

    Examples
    --------
    >>> trace = nbprof.load("logs/").trace(worker="worker0").read()
    >>> trace.filter(steps=(3, 4), name="gemm").kernels().num_rows > 0
    True
    >>> trace.table("operators", group_by="name+shape").column_names[:2]
    ['name', 'input_shapes']
    >>> trace.filter(steps=3).to_chrome_trace("step3.json.gz")
    >>> trace.export_stacks("stacks.txt")
    >>> [label.pattern for label in trace.step_candidates()]
    []
    >>> trace.with_step(None).steps().num_rows
    6
    >>> trace.with_private_frames().operators(group_by="name+stack").num_rows > 0
    True
    """

    def __init__(
        self,
        file: TraceFile,
        content: TraceContent,
        reader: Reader,
        options: ReadOptions = READ_ALL,
        active_filter: Filter = NO_FILTER,
    ) -> None:
        self.file = file
        self.active_filter = options.narrow(active_filter)
        self._content = content
        self._reader = reader
        self._options = options

    @property
    def run(self) -> str:
        """The run's name."""
        return self.file.run

    @property
    def worker(self) -> str:
        """The worker's name."""
        return self.file.worker

    @property
    def span(self) -> int:
        """The number of the span, from 1."""
        return self.file.span

    @property
    def path(self) -> str:
        """The file that holds the trace."""
        return str(self.file.path)

    @property
    def place(self) -> str:
        """Worker and file of the trace, for messages."""
        return f"worker {self.worker!r} ({self.path})"

    @property
    def model(self) -> TraceModel:
        """The Arrow tables of the trace; reads the file if necessary."""
        return self._reader(self._content, None)

    @property
    def metadata(self) -> dict[str, Any]:
        """The metadata of the file (known keys only)."""
        return dict(self.model.metadata)

    @property
    def step(self) -> str | None:
        """The pattern of the annotations used as steps; None for steps that the recorder marked."""
        return self._options.step

    def step_candidates(self) -> tuple[StepCandidate, ...]:
        """Return labels that may mark the steps, for traces in which the recorder marked none.

        Candidates are annotations that repeat at the top level of a thread. Labels that differ only
        in numbers and arguments form one candidate, such as ``execute_context_…_generation_…``.
        Choose one by its ``pattern``: ``trace.with_step(pattern)`` or ``nbprof.load(…,
        step=pattern)``. Candidates are sorted by host time, largest first.
        """
        return step_candidates(self.model)

    def with_step(self, step: str | None) -> Trace:
        """Return the trace with other annotations as steps, without reading the file again.

        Parameters
        ----------
        step : str or None
            A part of their names, or ``/regular expression/``, as in `nbprof.load`. None uses the
            steps that the recorder marked, or the whole recording if there are none.

        Raises
        ------
        FilterError
            No annotation matches, or the recorder marked steps.
        """
        options = replace(self._options, step=step)
        content = content_of(self.file, options)
        return Trace(self.file, content, self._reader, options, self.active_filter)

    def with_private_frames(self) -> Trace:
        """Return the trace with the paths of Python frames shortened to their package.

        ``/data/ann/secret/train.py(7): main`` becomes ``train.py(7): main`` in every name and call
        stack. Views do this with ``private=True``.
        """

        def reader(content: TraceContent, progress: Any) -> TraceModel:
            return private_model(self._reader(content, progress))

        return Trace(self.file, self._content, reader, self._options, self.active_filter)

    @property
    def is_read(self) -> bool:
        """Whether the file has been read in full."""
        return self._content.is_read

    def read(self, *, progress: Any = None) -> Trace:
        """Read the file now if it has not been read yet, and return the trace.

        Parameters
        ----------
        progress : "auto", False or callable, optional
            Replaces the setting given to `nbprof.load`.

        Raises
        ------
        TraceFormatError
            No part of the file can be read.
        """
        self._reader(self._content, progress)
        return self

    @named_keywords(FilterFields)
    def filter(self, filter_: Filter | None = None, /, **conditions: Unpack[FilterFields]) -> Trace:
        """Return the trace narrowed by a filter, in addition to its current one.

        If `nbprof.load` read only a part of the trace, the result stays limited to that part.

        Parameters
        ----------
        filter_ : Filter, optional
            A filter that replaces the current one as a whole.
        **conditions
            Fields of `Filter` that replace those of the current one.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        """
        active_filter = narrowed(self.active_filter, filter_, conditions)
        return Trace(self.file, self._content, self._reader, self._options, active_filter)

    def __repr__(self) -> str:
        """Return one line: the trace, and its filter."""
        conditions = ", ".join(text for _, text in self.active_filter.describe())
        return (
            f"<nbprof.Trace run={self.run!r} worker={self.worker!r} span={self.span}"
            f"{f' step={self.step!r}' if self.step is not None else ''}"
            f"{f' filtered to {conditions}' if conditions else ''}>"
        )
