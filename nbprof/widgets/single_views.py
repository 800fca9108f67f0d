"""Widget classes that show a single view without tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from nbprof.model.signatures import named_keywords
from nbprof.widgets.arguments import SingleViewOptions
from nbprof.widgets.explorer import Explorer
from nbprof.widgets.views import kernels, operators, overview, roofline
from nbprof.widgets.views.diff import view as diff
from nbprof.widgets.views.distributed import view as distributed
from nbprof.widgets.views.functions import view as functions
from nbprof.widgets.views.memory import view as memory
from nbprof.widgets.views.modules import view as modules
from nbprof.widgets.views.timeline import view as timeline

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from nbprof.widgets.session.profile_source import Shown


class SingleView(Explorer):
    """An explorer of one view, without tabs; it takes the arguments of `Explorer` except `view`."""

    @named_keywords(SingleViewOptions)
    def __init__(self, source: Shown, **options: Unpack[SingleViewOptions]) -> None:
        if "view" in options:
            message = f"A {type(self).__name__} shows one view; leave out view=."
            raise TypeError(message)
        super().__init__(source, **options)


class OverviewView(SingleView):
    """Step times, device time and recommendations of a profile.

    Examples
    --------
    >>> nbprof.OverviewView("logs/").table.num_rows > 0
    True
    """

    _views: ClassVar = (overview.VIEW,)


class OperatorsView(SingleView):
    """Operators of a profile, on the device and on the host.

    The trait ``averages_by`` shows the table that PyTorch prints instead, and is its grouping.

    Examples
    --------
    >>> nbprof.OperatorsView("logs/", group_by="name+shape").table.num_rows > 0
    True
    """

    _views: ClassVar = (operators.VIEW,)


class KernelsView(SingleView):
    """Kernels of a profile, by name or by launch configuration.

    Examples
    --------
    >>> nbprof.KernelsView("logs/", name="conv").table.num_rows > 0
    True
    """

    _views: ClassVar = (kernels.VIEW,)


class RooflineView(SingleView):
    """Achieved FLOP/s and bytes/s of operators, beside what the device can reach.

    Examples
    --------
    >>> nbprof.RooflineView("logs/", group_by="kernel").table.column_names[0]
    'kernel'
    """

    _views: ClassVar = (roofline.VIEW,)


class MemoryView(SingleView):
    """Memory over time, and the operators that allocate and hold it.

    The traits ``memory_device`` (the device on screen), ``memory_by`` (the kind of its curve,
    operator or component) and ``memory_range`` (the part of the curve to which tables are narrowed,
    µs) can be given, observed and assigned. ``group_by`` chooses the table for `table` and
    ``selection``.

    Examples
    --------
    >>> nbprof.MemoryView("logs/", memory_device="gpu:0").table.num_rows > 0
    True
    """

    _views: ClassVar = (memory.VIEW,)


class TimelineView(SingleView):
    """Every slice of a profile on its thread or stream over time, and curves beside them.

    The traits ``window`` (the part on screen, µs), ``search`` (marks names), ``selection`` (slices,
    or an area of time and lanes), ``lanes`` (which are first, hidden, pinned or collapsed, and
    their heights) and ``timeline_height`` (px) can be given, observed and assigned; ``selected`` is
    the Arrow table of the selection.

    Examples
    --------
    >>> nbprof.TimelineView("logs/", window=(1000, 5000)).table.num_rows > 0
    True
    """

    _views: ClassVar = (timeline.VIEW,)


class ModulesView(SingleView):
    """The modules of a profile as a tree, and a flame graph of modules, operators and Python.

    The traits ``flame_by`` (host, device or bytes), ``flame_order`` (left_heavy or time),
    ``flame_range`` (the zoomed part) and ``search`` (marks names) can be given, observed and
    assigned; ``selection`` has rows of the table ``modules``.

    Examples
    --------
    >>> nbprof.ModulesView("logs/", flame_by="device").table.num_rows > 0
    True
    """

    _views: ClassVar = (modules.VIEW,)


class FunctionsView(SingleView):
    """The functions of a profile of Python, an icicle chart, and callers and callees.

    The traits ``flame_range`` (the zoomed part of the chart) and ``search`` (marks names) can be
    given, observed and assigned; ``selection`` has rows of the table ``functions``.

    Examples
    --------
    >>> import cProfile
    >>> profile = cProfile.Profile()
    >>> profile.runcall(sorted, [2, 1])
    [1, 2]
    >>> nbprof.FunctionsView(profile).table.num_rows > 0
    True
    """

    _views: ClassVar = (functions.VIEW,)


class DistributedView(SingleView):
    """The workers of a run side by side: their steps, waiting times and communication.

    All traces of the run and span are read, a few at a time. `table` is ``distributed_ops``;
    `Profile` has the other tables.

    Examples
    --------
    >>> nbprof.DistributedView("logs/", steps=3).table.num_rows > 0
    True
    """

    _views: ClassVar = (distributed.VIEW,)


class DiffView(SingleView):
    """What changed between two runs: the step side by side, the largest changes, tables and a tree.

    Give it a `Diff`, or anything else and the trait ``baseline``, what to compare with.
    ``group_by`` is the table: operator, operator+shape, kernel and others, by the words of
    `Diff.table`.

    Examples
    --------
    >>> view = nbprof.DiffView("logs/", worker="worker1", baseline={"worker": "worker0"})
    >>> view.table.column_names[:3]
    ['name', 'baseline_device_self_us', 'candidate_device_self_us']
    """

    _views: ClassVar = (diff.VIEW,)
