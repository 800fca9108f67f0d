"""Estimates the call tree of a profile from the callers of functions.

A profile of Python says how long a function took in all calls by each of its callers, but not
under which callers of these. So the time of a call is split among the paths to its caller in
proportion to the time of these paths. That is exact for functions with a single path, and an
estimate for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from nbprof.analysis.functions.call_graph import CallGraph, Floats, Mask, Rows

if TYPE_CHECKING:
    from nbprof.model.trace.model import TraceModel

#: Frames below this share of the whole are left out. A screen has a hundredth of that many pixels.
LEAST_SHARE: Final = 1e-5
#: Frames of a tree, and frames on a path, at most.
MOST_FRAMES: Final = 200_000
DEEPEST: Final = 2000


@dataclass(frozen=True)
class CallTree:
    """The frames of a call tree, level by level; arrays of shape (frames,).

    Attributes
    ----------
    function : ndarray of int64
        Row of the function of each frame.
    parent : ndarray of int64
        The frame around each, -1 at the top; smaller than the frame.
    total, own : ndarray of float64
        Time of each with and without the frames inside it, in microseconds.
    is_recursive : ndarray of bool
        Whether its function calls itself; those calls are part of the frame.
    """

    function: Rows
    parent: Rows
    total: Floats
    own: Floats
    is_recursive: Mask


def call_tree(model: TraceModel) -> CallTree:
    """Return the call tree of a profile, cached.

    The time of a frame is its own time plus that of the frames inside it and of those left out.
    """
    return model.cached("call tree", lambda: _grown(CallGraph.of(model)))


def _grown(graph: CallGraph) -> CallTree:
    function = np.flatnonzero(graph.root > 0)
    function = function[np.argsort(-graph.root[function], kind="stable")]
    total = graph.root[function]
    least = LEAST_SHARE * float(total.sum())
    parent = np.full(len(function), -1, np.int64)
    levels: list[tuple[Rows, Rows, Floats]] = []
    before = 0
    while len(function) and len(levels) < DEEPEST:
        levels.append((function, parent, total))
        inside, place, time = _inside(graph, function, total)
        wide = time >= least
        room = max(0, MOST_FRAMES - before - len(function))
        if wide.sum() > room:
            wide[np.argsort(-time, kind="stable")[room:]] = False
        parent = before + place[wide]
        before += len(function)
        function, total = inside[wide], time[wide]
    if not levels:
        none = np.empty(0, np.int64)
        levels = [(none, none, np.empty(0))]
    function, parent, total = map(np.concatenate, zip(*levels, strict=True))
    whole = graph.total[function]
    part = np.divide(graph.own[function], whole, out=np.zeros(len(whole)), where=whole > 0)
    return CallTree(function, parent, total, total * part, graph.is_recursive[function])


def _inside(graph: CallGraph, function: Rows, total: Floats) -> tuple[Rows, Rows, Floats]:
    """Return function, place of the parent and time of the frames inside the frames of a level."""
    length = graph.first[function + 1] - graph.first[function]
    place = np.repeat(np.arange(len(function)), length)
    start = np.repeat(graph.first[function] - (np.cumsum(length) - length), length)
    at = np.arange(int(length.sum())) + start
    whole = graph.total[function]
    scale = np.divide(total, whole, out=np.zeros(len(total)), where=whole > 0)
    return graph.callee[at], place, graph.time[at] * scale[place]
