"""Assigns the values of counter samples to series."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.columns import as_float
from nbprof.sources.chrome.dictionaries import TextDictionary

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Name of the value of a counter that has only one.
_PLAIN: Final = "value"


class Series(TextDictionary):
    """Numbers series; keys are the name of a value and the arguments that distinguish it."""

    def text(self, value: Any) -> str:
        """Return the name of a series."""
        key, *parts = value
        which = ", ".join(f"{name} {number}" for name, number in parts)
        if not which:
            return str(key)
        return which if key == _PLAIN else f"{key}, {which}"

    def samples(
        self, args: Sequence[dict[str, Any]]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Extract the values from the arguments of counter events.

        Arguments such as ``acc_id`` are not values but distinguish series.

        Parameters
        ----------
        args : sequence of dict

        Returns
        -------
        at : ndarray of int64, shape (samples,)
            Index of the event of each sample.
        series : ndarray of int32, shape (samples,)
            Code of its series.
        value : ndarray of float64, shape (samples,)
        """
        layouts: dict[tuple[str, ...], list[int]] = {}
        for at, keys in enumerate(map(tuple, args)):
            layouts.setdefault(keys, []).append(at)
        samples = [
            self._of_layout(key, keys, [args[at] for at in rows], rows)
            for keys, rows in layouts.items()
            for key in keys
            if not _is_series_id(key)
        ]
        if not samples:
            return np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float64)
        places, series, values = zip(*samples, strict=True)
        return np.concatenate(places), np.concatenate(series), np.concatenate(values)

    def _of_layout(
        self, key: str, keys: tuple[str, ...], args: list[dict[str, Any]], rows: list[int]
    ) -> tuple[npt.NDArray[Any], ...]:
        parts = [name for name in keys if _is_series_id(name)]
        if parts:
            wanted = [(key, *((name, str(one[name])) for name in parts)) for one in args]
            series = self.encode(wanted, len(args))
        else:
            series = np.full(len(args), self[(key,)], np.int32)
        values = map(itemgetter(key), args)
        try:
            numbers = np.fromiter(values, np.float64, len(args))
        except (TypeError, ValueError, OverflowError):
            numbers = np.array([as_float(one[key]) for one in args], np.float64)
        return np.array(rows, np.int64), series, numbers


def _is_series_id(key: str) -> bool:
    return key.lower().endswith("id")
