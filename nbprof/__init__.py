"""Deep-learning profiles inside the notebook.

``nbprof.show(logdir)`` draws them, ``nbprof.load(logdir)`` gives the tables behind the drawing.
Everything is imported on first use, so that ``import nbprof`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.defaults import options
    from nbprof.model.contract.spec import Option, TableSpec
    from nbprof.model.contract.table import Column
    from nbprof.model.errors import (
        ExtensionWarning,
        FilterError,
        FilterWarning,
        NbprofError,
        TraceFormatError,
        TraceNotFoundError,
        UnknownNameError,
    )
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.dialect import Capabilities, Dialect, Vocabulary
    from nbprof.profile import Profile, load
    from nbprof.registry import register
    from nbprof.sources.building import build_model
    from nbprof.sources.discovery.head import Head
    from nbprof.sources.recorder import Recorder
    from nbprof.trace import Trace
    from nbprof.widgets.diagnosis.diagnose import diagnose
    from nbprof.widgets.explorer import Explorer
    from nbprof.widgets.show import show
    from nbprof.widgets.single_views import (
        DistributedView,
        KernelsView,
        MemoryView,
        ModulesView,
        OperatorsView,
        OverviewView,
        TimelineView,
    )

    __version__: str

_HOMES = {
    "Capabilities": "nbprof.model.trace.dialect",
    "Column": "nbprof.model.contract.table",
    "Dialect": "nbprof.model.trace.dialect",
    "DistributedView": "nbprof.widgets.single_views",
    "Explorer": "nbprof.widgets.explorer",
    "ExtensionWarning": "nbprof.model.errors",
    "Filter": "nbprof.model.filters.filter",
    "FilterError": "nbprof.model.errors",
    "FilterWarning": "nbprof.model.errors",
    "Head": "nbprof.sources.discovery.head",
    "KernelsView": "nbprof.widgets.single_views",
    "MemoryView": "nbprof.widgets.single_views",
    "ModulesView": "nbprof.widgets.single_views",
    "NbprofError": "nbprof.model.errors",
    "Option": "nbprof.model.contract.spec",
    "OperatorsView": "nbprof.widgets.single_views",
    "OverviewView": "nbprof.widgets.single_views",
    "Profile": "nbprof.profile",
    "Recorder": "nbprof.sources.recorder",
    "TableSpec": "nbprof.model.contract.spec",
    "TimelineView": "nbprof.widgets.single_views",
    "Trace": "nbprof.trace",
    "SourceError": "nbprof.model.errors",
    "TraceFormatError": "nbprof.model.errors",
    "TraceNotFoundError": "nbprof.model.errors",
    "UnknownNameError": "nbprof.model.errors",
    "Vocabulary": "nbprof.model.trace.dialect",
    "build_model": "nbprof.sources.building",
    "diagnose": "nbprof.widgets.diagnosis.diagnose",
    "load": "nbprof.profile",
    "options": "nbprof.defaults",
    "register": "nbprof.registry",
    "show": "nbprof.widgets.show",
}

__all__ = [
    "Capabilities",
    "Column",
    "Dialect",
    "DistributedView",
    "Explorer",
    "ExtensionWarning",
    "Filter",
    "FilterError",
    "FilterWarning",
    "Head",
    "KernelsView",
    "MemoryView",
    "ModulesView",
    "NbprofError",
    "OperatorsView",
    "Option",
    "OverviewView",
    "Profile",
    "Recorder",
    "SourceError",
    "TableSpec",
    "TimelineView",
    "Trace",
    "TraceFormatError",
    "TraceNotFoundError",
    "UnknownNameError",
    "Vocabulary",
    "__version__",
    "build_model",
    "diagnose",
    "load",
    "options",
    "register",
    "show",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("nbprof")
    if name not in _HOMES:
        message = f"module 'nbprof' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
