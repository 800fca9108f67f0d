"""For tests of your own: `assert_no_slower` fails if a run is slower than a baseline.

The function works in any test, with pytest or without; as a fixture it is one line::

    @pytest.fixture
    def no_slower():
        return partial(assert_no_slower, "baselines/main")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from nbprof.diffs.choices import diff
from nbprof.diffs.gate.limits import Limit
from nbprof.diffs.gate.unreadable import expect_readable
from nbprof.diffs.gate.verdicts import check
from nbprof.export.diffs.formats import report_text
from nbprof.export.diffs.report import Report
from nbprof.profiles import Profile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from nbprof.diffs.diff import Diff
    from nbprof.profiles import Source
    from nbprof.trace import Trace

__all__ = ["assert_no_slower"]

#: The limits that apply if none are given.
LIMITS: Final = ("step_us > +5%",)
#: Rows of the table in the message of a failure.
ROWS: Final = 10


def assert_no_slower(
    baseline: Source | Profile | Trace,
    candidate: Source | Profile | Trace,
    limits: str | Sequence[str] = LIMITS,
    *,
    strict: bool = False,
    step: str | None = None,
) -> Diff:
    """Fail if the candidate exceeds a limit, and return the comparison otherwise.

    A limit that is exceeded only within the noise does not fail, unless `strict`. Without an
    estimate of the noise (fewer than three complete steps on a side), an exceeded limit fails.

    Parameters
    ----------
    baseline, candidate : path, Profile or Trace
        What is compared, as for `nbprof.diff`.
    limits : str or sequence of str
        Limits as for ``nbprof diff --fail-if``, such as ``"memory_peak_bytes > +100MB"``.
    strict : bool
        Whether a limit exceeded within the noise fails, too.
    step : str, optional
        Annotations to use as steps, as for `nbprof.load`.

    Raises
    ------
    AssertionError
        A limit is exceeded; the message is the report.
    LimitError
        A limit is not valid.
    NbprofError
        A file could not be read, or a limit could not be checked.

    Examples
    --------
    >>> from nbprof.testing import assert_no_slower
    >>> assert_no_slower("logs/", "logs/", ["step_us > +5%", "kernel:/gemm/ total_us > +10%"])
    <nbprof.Diff baseline='logs worker0 1' candidate='logs worker0 1'>
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    parsed = [Limit.parse(one) for one in ([limits] if isinstance(limits, str) else limits)]
    compared = diff(baseline, candidate, step=step)
    for source, traces in (
        (compared.baseline_source, compared.baseline_traces),
        (compared.candidate_source, compared.candidate_traces),
    ):
        if isinstance(source, Profile):
            expect_readable(source, traces)
    verdicts = [check(compared, limit, strict=strict) for limit in parsed]
    if any(verdict.failed for verdict in verdicts):
        report = Report.of(compared, ["category", "operator"], verdicts, limit=ROWS)
        raise AssertionError(report_text(report, "text"))
    return compared
