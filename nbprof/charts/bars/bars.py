"""`Bars`: the data of a bar chart, read from a table: names, lengths, labels and colours."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from nbprof.charts.series import Series
from nbprof.model.arrays import floats_of
from nbprof.model.units import MISSING, TimeUnit, choose_time_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

#: What bars measure: times in microseconds, numbers of calls, or shares from 0 to 100.
Quantity: TypeAlias = Literal["time", "count", "share"]

_UNITS: Final = {
    "count": TimeUnit("calls", 1.0, 0),
    "share": TimeUnit("%", 1.0, 1),
}


@dataclass(frozen=True)
class Bars:
    """The data of a bar chart, in the unit of its axis.

    Parameters
    ----------
    x : list of (int or str or None)
        Number or name of each bar.
    named : bool
        Whether bars have names rather than numbers; they are then horizontal.
    series : tuple of Series
        The parts that any bar has, in the order of the stack.
    values : dict of str to ndarray of float64, shape (bars,)
        Length of each part by the key of its series.
    unit : TimeUnit
        Unit of the axis.
    stacked : bool
        Whether parts are stacked rather than side by side.
    missing : str
        Label of bars without a name.
    parts : tuple of Series
        All parts that bars may have, including those without length.
    muted : ndarray of bool, shape (bars,)
        Which bars are outside the filter.
    """

    x: list[Any]
    named: bool
    series: tuple[Series, ...]
    values: dict[str, NDArray[np.float64]]
    unit: TimeUnit
    stacked: bool
    missing: str = MISSING
    parts: tuple[Series, ...] = ()
    muted: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))

    @classmethod
    def of(
        cls,
        table: pa.Table,
        x: str,
        series: Mapping[str, tuple[str, str]],
        *,
        stacked: bool = True,
        unit: str = "auto",
        quantity: Quantity = "time",
        muted: NDArray[np.bool_] | None = None,
    ) -> Bars:
        """Read columns of a table.

        Parameters
        ----------
        table : pyarrow.Table
            One row per bar. Null, NaN and negative values have no length.
        x : str
            Column that identifies each bar by a number or a name. The metadata of its field may
            hold the label of bars without a value (``missing``).
        series : mapping of str to (str, str)
            Label and colour by column.
        stacked : bool, optional
            Whether parts are stacked.
        unit : {"auto", "ns", "us", "ms", "s"}, optional
            Unit of times.
        quantity : {"time", "count", "share"}, optional
            Quantity that the lengths measure.
        muted : ndarray of bool, optional
            Which rows are outside the filter; none by default.
        """
        read = {name: _numbers(table[name]) for name in series}
        lengths = np.array(list(read.values())) if read else np.zeros((1, table.num_rows))
        tops = lengths.sum(axis=0) if stacked else lengths.max(axis=0)
        chosen = _UNITS.get(quantity) or choose_time_unit(tops, unit)
        parts = [
            Series(f"s{index}", label, token)
            for index, (label, token) in enumerate(series.values())
        ]
        pairs = list(zip(parts, read.values(), strict=True))
        values = {one.key: lengths / chosen.divisor for one, lengths in pairs}
        present = tuple(one for one, lengths in pairs if lengths.any())
        about = table.schema.field(x)
        named = pa.types.is_string(about.type) or pa.types.is_dictionary(about.type)
        missing = (about.metadata or {}).get(b"missing", MISSING.encode()).decode()
        rows = table[x].to_pylist()
        outside = np.zeros(len(rows), np.bool_) if muted is None else muted
        return cls(rows, named, present, values, chosen, stacked, missing, tuple(parts), outside)

    def __len__(self) -> int:
        """Return the number of bars."""
        return len(self.x)

    @property
    def tops(self) -> NDArray[np.float64]:
        """The end of each bar on the axis."""
        if not self.values:
            return np.zeros(len(self.x))
        lengths = np.array(list(self.values.values()))
        return np.asarray(lengths.sum(axis=0) if self.stacked else lengths.max(axis=0))

    @property
    def drawn(self) -> tuple[Series, ...]:
        """The parts that are drawn; stacked parts are included even if they have no length."""
        return (self.parts or self.series) if self.stacked else self.series

    @property
    def names(self) -> list[str]:
        """Label of each bar."""
        return [self.missing if one is None else str(one) for one in self.x]


def _numbers(column: Any) -> NDArray[np.float64]:
    """Return a column as lengths."""
    values = np.nan_to_num(floats_of(column))
    return np.maximum(values, 0.0)
