"""The views that there are: nbprof's own, those of installed packages, and a notebook's own."""

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

#: The views, nbprof's own in the order of their tabs.
VIEWS: Final[Registry[ViewSpec]] = Registry(
    "view",
    "nbprof.views",
    f"{_HERE}.spec:ViewSpec",
    {
        "overview": f"{_HERE}.overview:VIEW",
        "operators": f"{_HERE}.operators:VIEW",
        "kernels": f"{_HERE}.kernels:VIEW",
        "timeline": f"{_HERE}.timeline.view:VIEW",
        "memory": f"{_HERE}.memory.view:VIEW",
        "modules": f"{_HERE}.modules.view:VIEW",
        "distributed": f"{_HERE}.distributed.view:VIEW",
    },
)


@contextmanager
def left_out_if_broken(view: ViewSpec, where: str) -> Iterator[None]:
    """Turn what a view of another package raises into a warning that names it.

    Parameters
    ----------
    view : ViewSpec
        Whose functions are called inside.
    where : str
        What goes without it, in words.
    """
    try:
        yield
    except Exception as error:
        if VIEWS.is_own(view.name):
            raise
        words = f"The view {view.name!r} is left out of {where}: {type(error).__name__}: {error}"
        warnings.warn(words, ExtensionWarning, stacklevel=3)
