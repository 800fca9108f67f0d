"""`show`: displays a profile in a notebook with one call."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from nbprof.model.errors import TraceFormatError
from nbprof.model.signatures import named_keywords
from nbprof.widgets.arguments import ViewOptions
from nbprof.widgets.explorer import Explorer
from nbprof.widgets.saved.summary import in_kernel, summary_text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nbprof.diffs.diff import Diff
    from nbprof.model.filters.filter import Filter
    from nbprof.widgets.session.profile_source import Shown


@named_keywords(ViewOptions)
def show(
    source: Shown | Diff,
    *,
    view: str | None = None,
    run: str | None = None,
    worker: str | None = None,
    span: int | None = None,
    filter: Filter | dict[str, Any] | None = None,  # noqa: A002 - the trait's name
    theme: str | None = None,
    static: bool | None = None,
    private: bool | None = None,
    watch: bool = False,
    **options: Unpack[ViewOptions],
) -> Explorer:
    """Show profiles in the notebook: steps, operators, kernels, timeline, memory, modules, ranks.

    In a notebook, return the view, which is drawn if it is the last expression of a cell. Anywhere
    else (a script, a terminal), print a summary of the trace and return the view for its tables.

    Parameters
    ----------
    source : path, glob, list of paths, dict of rank to path, Profile, Trace or Diff
        What to show, as for `nbprof.load`, or the differences of two runs (`nbprof.diff`).
    view : {"overview", "operators", "kernels", "timeline", "memory", "modules", "diff", …}
        The view to start with, or the name of one of your own (`nbprof.ViewSpec`). By default the
        overview, of differences the view ``diff``, of Python's own profile the functions.
    run, worker : str, optional
        The first by default.
    span : int, optional
        The first by default.
    filter : Filter or dict, optional
        The filter to start with.
    theme : {"auto", "light", "dark"}, optional
        ``"auto"`` follows the notebook. By default `nbprof.options.theme`.
    static : bool, optional
        Whether the view is drawn as HTML instead of a widget: for notebooks that will be opened
        elsewhere, trusted and without saved state. Everything else of the view works as usual. By
        default as `nbprof.options.renderer` says.
    private : bool, optional
        Whether the paths of Python frames are shortened to their package, for notebooks and pages
        that are shared. By default `nbprof.options.private`.
    watch : bool, optional
        Whether the view refreshes itself when files arrive, change or vanish. It looks at names,
        sizes and times every `nbprof.options.watch_seconds`, and waits until two looks in a row
        saw a file alike. Not for static views, a single `Trace`, and sources that take over a
        second to list, as remote directories may; use ``view.refresh()`` there.
    **options
        Fields of `nbprof.Filter`, such as ``steps=(7, 9)`` or ``name="conv"``, and traits of the
        view, such as ``step`` (as for `nbprof.load`), ``group_by`` or ``search``. ``baseline`` is
        what to compare with: the name of a run of the profile, a dict of ``run``, ``worker`` and
        ``span``, or another path, `Profile` or `Trace`.

    Returns
    -------
    Explorer

    Raises
    ------
    TypeError
        A keyword argument is unknown; the text names the closest one.
    traitlets.TraitError
        A value is invalid, such as a run that does not exist.
    TraceNotFoundError, TraceFormatError
        Nothing can be read; only outside a notebook. In a notebook the view shows the error, keeps
        it in ``view.errors``, and tries again on Refresh.

    Examples
    --------
    >>> view = nbprof.show("logs/", view="kernels", name="conv", steps=(3, 4))
    Run ...
    >>> view.table.num_rows > 0
    True
    >>> view.static().text.splitlines()[0]
    'Run logs, worker worker0, span 1'
    >>> view.to_html("report.html").name
    'report.html'
    >>> view.to_svg("kernels.svg")[:4]
    '<svg'
    >>> view.to_png("kernels.png").name  # doctest: +SKIP
    'kernels.png'
    >>> view.refresh()
    >>> view.close()
    """
    explorer = Explorer(
        source,
        view=view,
        run=run,
        worker=worker,
        span=span,
        filter=filter,
        theme=theme,
        static=static,
        private=private,
        watch=watch,
        **options,
    )
    if not in_kernel():
        failure = explorer._session.failure  # noqa: SLF001 - of this package
        if failure is not None:
            explorer.close()
            raise failure
        _read(explorer)
        text = summary_text(explorer._session, explorer._state(), explorer.time_unit)  # noqa: SLF001
        sys.stdout.write(text + "\n")
    return explorer


def _read(explorer: Explorer) -> None:
    """Read the trace on screen; if it is unreadable and was not chosen, the next one.

    Raises
    ------
    TraceFormatError
        None of them can be read.
    """
    while True:
        state = explorer._state()  # noqa: SLF001 - of this package
        try:
            explorer._session.trace(state, lambda *_: None)  # noqa: SLF001
        except TraceFormatError:
            if explorer._state() == state:  # noqa: SLF001
                raise
        else:
            return
