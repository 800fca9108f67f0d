"""Registry of views: nbprof's own, those of installed packages, and those of a notebook."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from nbprof.model.errors import ExtensionWarning
from nbprof.registry import Registry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.widgets.views.spec import ViewSpec

_HERE: Final = "nbprof.widgets.views"

#: All views, nbprof's own first in the order of their tabs.
VIEWS: Final[Registry[ViewSpec]] = Registry(
    "view",
    "nbprof.views",
    f"{_HERE}.spec:ViewSpec",
    {
        "overview": f"{_HERE}.overview:VIEW",
        "operators": f"{_HERE}.operators:VIEW",
        "kernels": f"{_HERE}.kernels:VIEW",
        "roofline": f"{_HERE}.roofline:VIEW",
        "timeline": f"{_HERE}.timeline.view:VIEW",
        "memory": f"{_HERE}.memory.view:VIEW",
        "modules": f"{_HERE}.modules.view:VIEW",
        "functions": f"{_HERE}.functions.view:VIEW",
        "distributed": f"{_HERE}.distributed.view:VIEW",
        "diff": f"{_HERE}.diff.view:VIEW",
    },
)


@contextmanager
def left_out_if_broken(
    view: ViewSpec, outcome: str, notes: list[str] | None = None
) -> Iterator[None]:
    """Turn exceptions of another package's view into a warning that names the view.

    Parameters
    ----------
    view : ViewSpec
        The view whose functions are called inside.
    outcome : str
        What becomes of the view, such as ``"is shown without its cards"``.
    notes : list of str, optional
        Receives the text of the warning, for the screen.
    """
    try:
        yield
    except Exception as error:
        if VIEWS.is_own(view.name):
            raise
        words = f"The view {view.name!r} {outcome}: {type(error).__name__}: {error}"
        if notes is not None and words not in notes:
            notes.append(words)
        warnings.warn(words, ExtensionWarning, stacklevel=3)
