"""Explore deep-learning profiles in a notebook.

``nbprof.show(logdir)`` shows them as interactive views, and ``nbprof.load(logdir)`` returns a
profile with the tables behind the views. Everything is imported on first use, so that
``import nbprof`` is fast.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbprof.analysis.costs.cost_formula import Cost, CostFormula
    from nbprof.charts.cards.cards import Card, CardChart, Switch
    from nbprof.defaults import options
    from nbprof.diffs.choices import diff
    from nbprof.diffs.diff import Diff
    from nbprof.export.key_averages import key_averages
    from nbprof.export.page import PageError
    from nbprof.loading import load
    from nbprof.model.contract.spec import Option, TableSpec
    from nbprof.model.contract.table import Column
    from nbprof.model.errors import (
        ExtensionWarning,
        FilterError,
        FilterWarning,
        LimitError,
        NbprofError,
        OutOfMemoryError,
        RecordingError,
        SourceError,
        TableError,
        TraceFormatError,
        TraceNotFoundError,
        UnknownNameError,
        WorkerWarning,
    )
    from nbprof.model.filters.filter import Filter
    from nbprof.model.steps.step_choice import StepCandidate
    from nbprof.model.trace.dialect import Capabilities, Dialect, Vocabulary
    from nbprof.profiles import Profile
    from nbprof.registry import register
    from nbprof.sources.discovery.catalog import TraceFile
    from nbprof.sources.discovery.head import Head
    from nbprof.sources.live.handler import trace_handler
    from nbprof.sources.live.memory_file import MemoryFile
    from nbprof.sources.model_builder import build_model
    from nbprof.sources.recorder import Recorder
    from nbprof.trace import Trace
    from nbprof.widgets.diagnosis.diagnose import diagnose
    from nbprof.widgets.downloads.chart_files import RasterError
    from nbprof.widgets.explorer import Explorer
    from nbprof.widgets.hints.failures import ViewError
    from nbprof.widgets.recording.profile import profile
    from nbprof.widgets.saved.static import StaticView
    from nbprof.widgets.show import show
    from nbprof.widgets.single_views import (
        DiffView,
        DistributedView,
        FunctionsView,
        KernelsView,
        MemoryView,
        ModulesView,
        OperatorsView,
        OverviewView,
        RooflineView,
        TimelineView,
    )
    from nbprof.widgets.views.spec import ViewSpec

    __version__: str

_HOMES = {
    "Capabilities": "nbprof.model.trace.dialect",
    "Card": "nbprof.charts.cards.cards",
    "CardChart": "nbprof.charts.cards.cards",
    "Column": "nbprof.model.contract.table",
    "Cost": "nbprof.analysis.costs.cost_formula",
    "CostFormula": "nbprof.analysis.costs.cost_formula",
    "Dialect": "nbprof.model.trace.dialect",
    "Diff": "nbprof.diffs.diff",
    "DiffView": "nbprof.widgets.single_views",
    "DistributedView": "nbprof.widgets.single_views",
    "Explorer": "nbprof.widgets.explorer",
    "ExtensionWarning": "nbprof.model.errors",
    "Filter": "nbprof.model.filters.filter",
    "FilterError": "nbprof.model.errors",
    "FilterWarning": "nbprof.model.errors",
    "Head": "nbprof.sources.discovery.head",
    "FunctionsView": "nbprof.widgets.single_views",
    "LimitError": "nbprof.model.errors",
    "KernelsView": "nbprof.widgets.single_views",
    "MemoryFile": "nbprof.sources.live.memory_file",
    "MemoryView": "nbprof.widgets.single_views",
    "ModulesView": "nbprof.widgets.single_views",
    "NbprofError": "nbprof.model.errors",
    "OperatorsView": "nbprof.widgets.single_views",
    "Option": "nbprof.model.contract.spec",
    "OutOfMemoryError": "nbprof.model.errors",
    "OverviewView": "nbprof.widgets.single_views",
    "PageError": "nbprof.export.page",
    "Profile": "nbprof.profiles",
    "RasterError": "nbprof.widgets.downloads.chart_files",
    "Recorder": "nbprof.sources.recorder",
    "RecordingError": "nbprof.model.errors",
    "RooflineView": "nbprof.widgets.single_views",
    "SourceError": "nbprof.model.errors",
    "StaticView": "nbprof.widgets.saved.static",
    "StepCandidate": "nbprof.model.steps.step_choice",
    "Switch": "nbprof.charts.cards.cards",
    "TableError": "nbprof.model.errors",
    "TableSpec": "nbprof.model.contract.spec",
    "TimelineView": "nbprof.widgets.single_views",
    "Trace": "nbprof.trace",
    "TraceFile": "nbprof.sources.discovery.catalog",
    "TraceFormatError": "nbprof.model.errors",
    "TraceNotFoundError": "nbprof.model.errors",
    "UnknownNameError": "nbprof.model.errors",
    "ViewError": "nbprof.widgets.hints.failures",
    "ViewSpec": "nbprof.widgets.views.spec",
    "Vocabulary": "nbprof.model.trace.dialect",
    "WorkerWarning": "nbprof.model.errors",
    "build_model": "nbprof.sources.model_builder",
    "diagnose": "nbprof.widgets.diagnosis.diagnose",
    "diff": "nbprof.diffs.choices",
    "key_averages": "nbprof.export.key_averages",
    "load": "nbprof.loading",
    "options": "nbprof.defaults",
    "profile": "nbprof.widgets.recording.profile",
    "register": "nbprof.registry",
    "show": "nbprof.widgets.show",
    "trace_handler": "nbprof.sources.live.handler",
}

__all__ = [
    "Capabilities",
    "Card",
    "CardChart",
    "Column",
    "Cost",
    "CostFormula",
    "Dialect",
    "Diff",
    "DiffView",
    "DistributedView",
    "Explorer",
    "ExtensionWarning",
    "Filter",
    "FilterError",
    "FilterWarning",
    "FunctionsView",
    "Head",
    "KernelsView",
    "LimitError",
    "MemoryFile",
    "MemoryView",
    "ModulesView",
    "NbprofError",
    "OperatorsView",
    "Option",
    "OutOfMemoryError",
    "OverviewView",
    "PageError",
    "Profile",
    "RasterError",
    "Recorder",
    "RecordingError",
    "RooflineView",
    "SourceError",
    "StaticView",
    "StepCandidate",
    "Switch",
    "TableError",
    "TableSpec",
    "TimelineView",
    "Trace",
    "TraceFile",
    "TraceFormatError",
    "TraceNotFoundError",
    "UnknownNameError",
    "ViewError",
    "ViewSpec",
    "Vocabulary",
    "WorkerWarning",
    "__version__",
    "build_model",
    "diagnose",
    "diff",
    "key_averages",
    "load",
    "options",
    "profile",
    "register",
    "show",
    "trace_handler",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used (PEP 562)."""
    if name == "__version__":
        from importlib.metadata import version

        return version("nbprof")
    if name not in _HOMES:
        message = f"module 'nbprof' has no attribute {name!r}"
        raise AttributeError(message, name=name, obj=sys.modules[__name__])
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Any) -> None:
    """Add the magics ``%nbprof`` and ``%%nbprof``, for ``%load_ext nbprof``."""
    from nbprof.widgets.recording import extension

    extension.load(shell)


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
