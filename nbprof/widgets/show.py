"""`show`: a profile on screen with one call."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from nbprof.widgets.explorer import Explorer
from nbprof.widgets.kernelless.summary import in_kernel, summary_text

if TYPE_CHECKING:
    from nbprof.widgets.sources import Shown


def show(
    source: Shown,
    *,
    view: str = "overview",
    run: str | None = None,
    worker: str | None = None,
    span: int | None = None,
    theme: str | None = None,
    static: bool | None = None,
    **options: Any,
) -> Explorer:
    """Show profiles in the notebook: steps, operators, kernels, timeline, memory, modules, ranks.

    In a notebook, return the view: as the last expression of a cell it is drawn there. Anywhere
    else (a script, a terminal) print a summary of the trace, and return the view for its tables.

    Parameters
    ----------
    source : path, glob, list of paths, dict of rank to path, Profile or Trace
        What to show, as for `nbprof.load`.
    view : {"overview", "operators", "kernels", "timeline", "memory", "modules", "distributed"}
        The view to start with.
    run, worker : str, optional
        The first by default.
    span : int, optional
        The first by default.
    theme : {"auto", "light", "dark"}, optional
        ``"auto"`` follows the notebook. By default `nbprof.options.theme`.
    static : bool, optional
        Whether the view is drawn as HTML instead of a widget: for notebooks that will be opened
        elsewhere, trusted and without saved state. Everything else of the view works as usual. By
        default as `nbprof.options.renderer` says.
    **options
        Fields of `nbprof.Filter`, such as ``steps=(7, 9)`` or ``name="conv"``; a whole
        ``filter``; and the traits ``step`` (as for `nbprof.load`), ``group_by``, ``selection``,
        ``time_range``, ``time_unit``, ``window``, ``search``, ``memory_device``, ``memory_by``,
        ``memory_range``, ``flame_by``, ``flame_order`` and ``flame_range``.

    Returns
    -------
    Explorer

    Raises
    ------
    TypeError
        A keyword argument is unknown; the text names the closest one.
    traitlets.TraitError
        A value cannot be used, such as a run that is not there.
    TraceNotFoundError, TraceFormatError
        Nothing can be read; only outside a notebook. In a notebook the view says so, keeps the
        error in ``view.errors``, and looks again on Refresh.
    """
    explorer = Explorer(
        source,
        view=view,
        run=run,
        worker=worker,
        span=span,
        theme=theme,
        static=static,
        **options,
    )
    if not in_kernel():
        failure = explorer._session.failure  # noqa: SLF001 - of this package
        if failure is not None:
            explorer.close()
            raise failure
        sys.stdout.write(summary_text(explorer._session, explorer._state()) + "\n")  # noqa: SLF001
    return explorer
