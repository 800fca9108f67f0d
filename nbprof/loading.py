"""`load`: opens a log directory as a `Profile`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbprof.profiles import Profile
from nbprof.sources import ReadOptions

if TYPE_CHECKING:
    from collections.abc import Sequence
    from concurrent.futures import Executor

    from nbprof.profiles import Progress, Source


def load(
    source: Source,
    *,
    cache: bool = True,
    strict: bool = False,
    progress: Progress = "auto",
    executor: Executor | None = None,
    steps: int | tuple[int, int] | None = None,
    time_us: tuple[float, float] | None = None,
    kinds: Sequence[str] | None = None,
    without: Sequence[str] = (),
    step: str | None = None,
) -> Profile:
    """Find the profiles in a source; each trace is read when it is first used.

    Parameters
    ----------
    source : path, URL, glob, list of paths, dict of rank to path, or profiler
        A log directory, which is searched recursively, or one or more trace files. URLs may use any
        protocol of fsspec, such as ``s3://bucket/logs``. Or a profiler object that has stopped or
        is between steps, such as ``torch.profiler.profile``, or what its ``events()`` returns: its
        recording is read as if it had been exported, and it can still be exported afterwards.
    cache : bool
        Whether parsed large files are stored in the user's cache directory, which makes opening
        them again fast.
    strict : bool
        Raise on the first irregularity in a file instead of repairing and counting it.
    progress : "auto", False or callable
        ``"auto"`` shows a bar for reads that take over a second.
    executor : concurrent.futures.Executor, optional
        Executor that reads many ranks in parallel for tables over workers; see `Profile.read`.
    steps, time_us, kinds
        Read only a part of each file, for files too large to hold in memory. Tables equal those of
        the whole file under a `Filter` with the same fields, and further filters narrow them. The
        notes list the exceptions.
    without : sequence of str
        ``("python",)`` leaves out Python frames. Modules are kept, and times still count from the
        first event of the file.
    step : str, optional
        Annotations to use as steps if the recorder marked none: a part of their names,
        ignoring case, or ``/regular expression/``. `Trace.step_candidates` lists candidates. Of
        nested matches, the outermost counts; of several threads, the one on which matches take the
        most time. Steps take the number in their labels that increases by one from step to step, or
        else count from 0.

    Returns
    -------
    Profile

    Raises
    ------
    SourceError
        The source is not a path and contains none, or is a profiler that is still recording.
    FilterError
        A condition cannot be applied. For ``step``, reading a trace raises this if no annotation
        matches or the recorder marked steps.
    TraceNotFoundError
        No file in the source looks like a profile.
    TraceFormatError
        Files matched, but none of them could be read.

    Notes
    -----
    Some results need the whole recording. With ``steps`` and ``time_us``, these are ``warnings``,
    which cover only the part that was read; the number of passes in the recommendation
    ``ddp_backend``, and the label that ``steps_not_marked`` names; the holders of memory allocated
    before the range in ``memory_peak_holders``; row and module numbers; and in ``slices`` the
    depths in lanes with overlapping slices.

    ``kinds`` without ``"python"`` leaves out Python frames. Call stacks are then not rebuilt from
    recorded frames, and frames are not subtracted from self times in ``slices``, ``slice_summary``
    and ``flame``. All other kinds are read in any case, since operators, kernels and steps depend
    on each other. With ``step``, a file is read in full before a part of it is selected.

    Examples
    --------
    >>> nbprof.load("logs/").runs().num_rows > 0
    True
    >>> profile = nbprof.load("logs/", steps=(3, 4), without=["python"])
    >>> profile.trace().steps()["step"].to_pylist()
    [3, 4]
    """
    options = ReadOptions.of(
        strict=strict, steps=steps, time_us=time_us, kinds=kinds, without=without, step=step
    )
    return Profile(source, options, cache=cache, progress=progress, executor=executor)
