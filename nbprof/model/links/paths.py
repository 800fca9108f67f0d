"""Numbers the paths of labels from the root to each row, such as call stacks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nbprof.model.links.nesting import depths

Rows = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Paths:
    """The paths of some rows.

    Attributes
    ----------
    code : ndarray of int64, shape (all rows,)
        Number of the path of each row, -1 for rows that are left out. A path has a larger number
        than its parent path.
    label : ndarray of int64, shape (paths,)
        Label at the end of each path.
    parent : ndarray of int64, shape (paths,)
        The path without its last label, -1 for paths of one label.
    """

    code: Rows
    label: Rows
    parent: Rows

    @classmethod
    def of(cls, rows: Rows, above: Rows, label: npt.NDArray[np.integer]) -> Paths:
        """Give every path a number, one level of depth at a time.

        Parameters
        ----------
        rows : ndarray of int64, shape (rows,)
            Rows to find the paths of.
        above : ndarray of int64, shape (all rows,)
            The parent row of each, also one of `rows`; -1 at the top.
        label : ndarray of integers, shape (rows,)
            Label of each of `rows`, from 0.
        """
        width = int(label.max(initial=0)) + 1
        depth = depths(above)[rows]
        order = np.argsort(depth, kind="stable")
        bounds = np.flatnonzero(np.diff(depth[order])) + 1
        code = np.full(len(above) + 1, -1, np.int64)  # one more for the parent of top rows
        labels, parents, count = [np.empty(0, np.int64)], [np.empty(0, np.int64)], 0
        for level in np.split(order, bounds):  # one iteration per level of nesting
            key = (code[above[rows[level]]] + 1) * width + label[level]
            distinct, number = np.unique(key, return_inverse=True)
            code[rows[level]] = count + number
            labels.append(distinct % width)
            parents.append(distinct // width - 1)
            count += len(distinct)
        return cls(code[:-1], np.concatenate(labels), np.concatenate(parents))
