"""`Diff`: two runs next to each other, with the tables of their differences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbprof.diffs import DIFF_TABLES
from nbprof.diffs.diff_methods import DiffMethods
from nbprof.diffs.lookup import diff_table
from nbprof.diffs.notes import notes_of
from nbprof.diffs.sides.sides import Side, Sides
from nbprof.diffs.sides.step_pairs import aligned_steps
from nbprof.diffs.sides.workers import of_workers
from nbprof.diffs.values.statistics import LEAST_STEPS
from nbprof.model.errors import NbprofError, OutOfMemoryError, TableError
from nbprof.model.filters.fields import FilterFields
from nbprof.model.filters.filter import NO_FILTER, Filter, narrowed
from nbprof.model.signatures import named_keywords
from nbprof.model.trace.kinds import CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from typing_extensions import Unpack

    from nbprof.trace import Trace


class Diff(DiffMethods):
    """The differences between a baseline and a candidate.

    Figures are medians over complete steps if both sides have steps. Differences are candidate
    minus baseline. Get one from `nbprof.diff` or `Profile.diff`; `nbprof.show` shows it.

    Attributes
    ----------
    baseline_traces, candidate_traces : tuple of Trace
        The workers of each side, under the filters.
    baseline_source, candidate_source : Profile or Trace
        What the sides were chosen from.
    active_filter : Filter
        The filter that `filter` set on both sides, in addition to those that they came with.

    Examples
    --------
    >>> profile = nbprof.load("logs/")
    >>> diff = profile.diff(worker="worker0", to_worker="worker1")
    >>> diff.per_step
    True
    >>> diff.table("operator").column_names[:4]
    ['name', 'baseline_device_self_us', 'candidate_device_self_us', 'delta_device_self_us']
    >>> diff.filter(name="conv").operators().num_rows < diff.operators().num_rows
    True
    >>> set(diff.swapped().swapped().kernels()["change"].to_pylist()) <= {"up", "down", "same"}
    True
    """

    def __init__(
        self,
        baseline: Sequence[Trace],
        candidate: Sequence[Trace],
        *,
        sources: tuple[Any, Any] | None = None,
        active_filter: Filter = NO_FILTER,
    ) -> None:
        self.baseline_traces = tuple(baseline)
        self.candidate_traces = tuple(candidate)
        first = self.baseline_traces[0], self.candidate_traces[0]
        of_baseline, of_candidate = sources or first
        self.baseline_source: Any = of_baseline
        self.candidate_source: Any = of_candidate
        self.active_filter = active_filter
        self._sides = Sides(Side(self.baseline_traces), Side(self.candidate_traces))

    @classmethod
    def of_traces(cls, baseline: Trace, candidate: Trace) -> Diff:
        """Return the differences of two traces under their own filters; nothing is read yet."""
        return cls((baseline,), (candidate,))

    @property
    def baseline(self) -> Trace:
        """The first trace of the baseline, under the filters."""
        return self.baseline_traces[0]

    @property
    def candidate(self) -> Trace:
        """The first trace of the candidate, under the filters."""
        return self.candidate_traces[0]

    @property
    def sides(self) -> Sides:
        """Both sides with their steps, for functions that compute tables."""
        return self._sides

    @property
    def per_step(self) -> bool:
        """Whether figures are per step; otherwise they are sums of the whole recordings."""
        return self._sides.per_step

    @property
    def has_noise(self) -> bool:
        """Whether both sides have the three complete steps that an estimate of noise takes."""
        return min(self._sides.complete_steps) >= LEAST_STEPS

    @property
    def complete_steps(self) -> tuple[int, int]:
        """Numbers of complete steps that count, in the baseline and in the candidate."""
        return self._sides.complete_steps

    @named_keywords(FilterFields)
    def filter(self, filter_: Filter | None = None, /, **conditions: Unpack[FilterFields]) -> Diff:
        """Return the differences under a filter of both sides, in addition to their own filters.

        Parameters
        ----------
        filter_ : Filter, optional
            A filter that replaces the current one of the comparison as a whole.
        **conditions
            Fields of `Filter` that replace those of the current one. ``workers`` keeps, on each
            side, the workers with these names.

        Raises
        ------
        FilterError
            A condition is unknown or cannot be applied.
        UnknownNameError
            A side has none of the workers.
        """
        active = narrowed(self.active_filter, filter_, conditions)
        own = active.to_dict()
        own.pop("workers", None)
        sides = [
            tuple(trace.filter(**own) for trace in of_workers(traces, active.workers))
            for traces in (self._unfiltered[0], self._unfiltered[1])
        ]
        made = Diff(*sides, sources=self._sources, active_filter=active)
        made._before = self._unfiltered
        return made

    #: The traces before `filter`, which replaces its own conditions when it is called again.
    _before: tuple[tuple[Trace, ...], tuple[Trace, ...]] | None = None

    @property
    def _unfiltered(self) -> tuple[tuple[Trace, ...], tuple[Trace, ...]]:
        return self._before or (self.baseline_traces, self.candidate_traces)

    @property
    def _sources(self) -> tuple[Any, Any]:
        return self.baseline_source, self.candidate_source

    def swapped(self) -> Diff:
        """Return the differences with baseline and candidate exchanged."""
        made = Diff(
            self.candidate_traces,
            self.baseline_traces,
            sources=(self.candidate_source, self.baseline_source),
            active_filter=self.active_filter,
        )
        made._before = None if self._before is None else (self._before[1], self._before[0])
        return made

    def aligned_steps(self) -> list[tuple[int, int]]:
        """Return which steps of `baseline` and `candidate` belong together, as their indices."""
        models = self.baseline.model, self.candidate.model
        filters = self.baseline.active_filter, self.candidate.active_filter
        return aligned_steps(*models, filters)

    def notes(self) -> list[str]:
        """Return what a reader of the tables has to know, in sentences: steps, noise, devices."""
        return notes_of(self._sides)

    def reason(self, unit: str = "auto") -> str:
        """Return why a step takes more or less time than before, as a sentence.

        It names the categories that changed by more than the noise and by at least 5 % of the
        change of the step, and the name that most of such a change is of.

        Parameters
        ----------
        unit : str
            Unit of times, such as ``"ms"``, or ``"auto"``.
        """
        from nbprof.diffs.reason import reason

        tables = self.table("categories"), self.table("waterfall", limit=100)
        filtered = any(
            one.active_filter.other != CATEGORIES["other"]
            for one in (self.baseline, self.candidate)
        )
        return reason(*tables, per_step=self.per_step, unit=unit, filtered=filtered)

    def missing(self, name: str) -> str:
        """Return a sentence why a table has no rows, empty if it has data or nobody knows.

        Parameters
        ----------
        name : str
            As for `table`.
        """
        from nbprof.diffs.notes import missing

        return missing(self._sides, diff_table(name)[0])

    def table(self, name: str, **options: Any) -> pa.Table:
        """Return a table by the name of its method or by the word for it on the command line.

        Parameters
        ----------
        name : str
            ``"operators"``, or ``"operator"``, ``"operator+shape"``, ``"kernel"``, ….
        **options
            Options of the table, as its method takes them.

        Raises
        ------
        UnknownNameError
            There is no such table.
        """
        spec, by = diff_table(name)
        return self._table(spec.name, **{**by, **options})

    def _table(self, name: str, **options: Any) -> pa.Table:
        spec = DIFF_TABLES[name]
        chosen = {
            one: value
            for one, value in options.items()
            if value is not None or one not in {option.name for option in spec.all_options}
        }
        spec.checked_options(chosen)
        try:
            return spec.finished(spec.make(self._sides, **chosen))
        except (NbprofError, Warning):
            raise
        except Exception as error:
            if not DIFF_TABLES.is_own(name):
                raise
            places = f"{self.baseline.place} and {self.candidate.place}"
            what = f"The differences {name!r} of {places} could not be computed"
            raise OutOfMemoryError.of(what, error) or TableError(
                f"{what}. {type(error).__name__}: {error}. Please report it."
            ) from error

    def __repr__(self) -> str:
        """Return one line: what is compared with what."""
        sides = (f"{one.run} {one.worker} {one.span}" for one in (self.baseline, self.candidate))
        return f"<nbprof.Diff baseline={next(sides)!r} candidate={next(sides)!r}>"
