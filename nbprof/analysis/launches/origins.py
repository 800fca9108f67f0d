"""Origin of every kernel: its launch call, and the host ranges that the launch lies in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.grouping import texts, us, words
from nbprof.analysis.launches.directions import DIRECTIONS, directions
from nbprof.model.building import arrow_array
from nbprof.model.links.backward import forward_rows
from nbprof.model.links.module_tree import ModuleTree, sources_of_device
from nbprof.model.links.nesting import nearest_ancestor
from nbprof.model.lookup import values_at
from nbprof.model.names.name_tests import finds
from nbprof.model.names.roles import is_wrapper, named
from nbprof.model.trace import kinds

if TYPE_CHECKING:
    import pyarrow as pa

    from nbprof.model.trace.model import TraceModel

Rows = npt.NDArray[np.int64]

#: How the launch of a kernel is known, by code.
STATUSES: Final = ("launched", "graph", "unknown")
_LAUNCHED, _GRAPH, _UNKNOWN = range(3)

#: Runtime and driver calls that replay a graph: `cudaGraphLaunch`, `hipGraphLaunch`, ….
_GRAPH_LAUNCH: Final = re.compile(r"^(?:cuda|cu|hip)GraphLaunch")


@dataclass(frozen=True)
class Origins:
    """Where kernels come from; arrays of shape (kernels,), -1 where unknown.

    Attributes
    ----------
    rows : ndarray of int64
        Device rows of the kernels.
    launch : ndarray of int64
        Host row of the call that launched each.
    operator : ndarray of int64
        Host row of its operator.
    source : ndarray of int64
        Host row that it belongs to: the launch, else the operator.
    """

    rows: Rows
    launch: Rows
    operator: Rows
    source: Rows

    @classmethod
    def of(cls, model: TraceModel, rows: Rows) -> Origins:
        """Find the origins of device rows."""
        links = model.links
        return cls(rows, links.launch[rows], links.operator[rows], sources_of_device(model)[rows])


def origin_columns(model: TraceModel, origins: Origins) -> dict[str, Any]:
    """Return the columns of the launch and its context, and the inputs of operators."""
    return {**_call_columns(model, origins), **_context_columns(model, origins)}


def _call_columns(model: TraceModel, origins: Origins) -> dict[str, Any]:
    """Return the columns thread, launch_us, queue_us and status.

    The queue time is that from the end of the launch call to the start of the kernel, 0 if the
    kernel starts before the call returns. The kernels of a replayed graph share one call, so for
    all but the first it includes the kernels before them.
    """
    launch = origins.launch
    start, duration = (
        values_at(model.column("host", name), launch) for name in ("start_ns", "duration_ns")
    )
    is_known = launch >= 0
    waited = np.maximum(model.column("device", "start_ns")[origins.rows] - start - duration, 0)
    is_replay = named(model, "host", finds(_GRAPH_LAUNCH))
    in_graph = np.append(is_replay, False)[launch]  # row -1 is the last
    in_graph |= model.column("device", "graph_node")[origins.rows] > 0
    status = np.where(in_graph, _GRAPH, np.where(is_known, _LAUNCHED, _UNKNOWN))
    thread = values_at(model.column("host", "thread"), origins.source)
    return {
        "thread": arrow_array(
            values_at(model.column("threads", "tid"), thread), mask=origins.source < 0
        ),
        "launch_us": arrow_array(us(duration), mask=~is_known),
        "queue_us": arrow_array(us(waited), mask=~is_known),
        "status": words(STATUSES, status),
    }


def _context_columns(model: TraceModel, origins: Origins) -> dict[str, Any]:
    """Return the columns module, annotation, direction, sequence, forward_operator and inputs."""
    tree = ModuleTree.of(model)
    module = values_at(tree.module, origins.source)
    forward = values_at(forward_rows(model), origins.source)
    operator = origins.operator
    inputs = {
        name: texts(model, "host", name, values_at(model.column("host", name), operator))
        for name in ("input_shapes", "input_types")
    }
    sequence = _sequences(model, operator)
    return {
        "module": words(tree.labels(), module),
        "annotation": _names(model, values_at(_annotations(model), origins.source)),
        "direction": words(DIRECTIONS, values_at(directions(model), origins.source)),
        "sequence": arrow_array(sequence, mask=sequence < 0),
        "forward_operator": _names(model, forward),
        **inputs,
    }


def _names(model: TraceModel, rows: Rows) -> pa.Array:
    return texts(model, "host", "name", values_at(model.column("host", "name"), rows))


def _annotations(model: TraceModel) -> Rows:
    """Return the innermost annotation around every host row, -1 without one.

    The ranges of data loaders and optimizers count; steps do not.
    """

    def find() -> Rows:
        kind = model.column("host", "kind")
        wrappers = (kind == kinds.OPERATOR) & named(model, "host", is_wrapper)
        is_annotation = (kind == kinds.ANNOTATION) | wrappers
        above = nearest_ancestor(model.nesting.parent, is_annotation)
        return np.where(is_annotation, np.arange(len(above)), above)

    return model.cached("annotations around", find)


def _sequences(model: TraceModel, operator: Rows) -> Rows:
    """Return the autograd number of operators, or of the nearest one around them that has any."""

    def find() -> Rows:
        number = model.column("host", "sequence")
        has_number = (number >= 0) & (model.column("host", "kind") == kinds.OPERATOR)
        above = nearest_ancestor(model.nesting.parent, has_number)
        return np.where(has_number, number, values_at(number, above))

    return values_at(model.cached("sequence numbers", find), operator)
