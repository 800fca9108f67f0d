"""`Bars`: the data of a bar chart, read from a table: names, lengths, labels and colours."""

from __future__ import annotations

from dataclasses import dataclass
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
    """Bars that are to be drawn, in the unit of their axis.

    Parameters
    ----------
    x : list of (int or str or None)
        What each bar is of.
    named : bool
        Whether bars have names rather than numbers: then they lie, with room for the names.
    series : tuple of Series
        The parts that any bar has, in the order of the stack.
    values : dict of str to ndarray of float64, shape (bars,)
        Length of each part by the key of its series.
    unit : TimeUnit
        Unit of the axis.
    stacked : bool
        Whether parts stand on each other rather than side by side.
    missing : str
        What bars without a name are called.
    parts : tuple of Series
        All parts that bars may have, those without length too.
    """

    x: list[Any]
    named: bool
    series: tuple[Series, ...]
    values: dict[str, NDArray[np.float64]]
    unit: TimeUnit
    stacked: bool
    missing: str = MISSING
    parts: tuple[Series, ...] = ()

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
    ) -> Bars:
        """Read columns of a table.

        Parameters
        ----------
        table : pyarrow.Table
            One row a bar. Null, NaN and negative values have no length.
        x : str
            Column of what each bar is of: numbers, or names. The metadata of its field may say
            what bars without one are called (``missing``).
        series : mapping of str to (str, str)
            Label and colour by column.
        stacked : bool, optional
            Whether parts stand on each other.
        unit : {"auto", "us", "ms", "s"}, optional
            Unit of times.
        quantity : {"time", "count", "share"}, optional
            What is measured.
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
        field = table.schema.field(x)
        named = pa.types.is_string(field.type) or pa.types.is_dictionary(field.type)
        missing = (field.metadata or {}).get(b"missing", MISSING.encode()).decode()
        rows = table[x].to_pylist()
        return cls(rows, named, present, values, chosen, stacked, missing, tuple(parts))

    def __len__(self) -> int:
        """Return how many bars there are."""
        return len(self.x)

    @property
    def tops(self) -> NDArray[np.float64]:
        """How far each bar reaches."""
        if not self.values:
            return np.zeros(len(self.x))
        lengths = np.array(list(self.values.values()))
        return np.asarray(lengths.sum(axis=0) if self.stacked else lengths.max(axis=0))

    @property
    def drawn(self) -> tuple[Series, ...]:
        """The parts that are drawn: stacked ones without length too, which take no room."""
        return (self.parts or self.series) if self.stacked else self.series

    @property
    def names(self) -> list[str]:
        """What each bar is called."""
        return [self.missing if one is None else str(one) for one in self.x]


def _numbers(column: Any) -> NDArray[np.float64]:
    """Return a column as lengths."""
    values = np.nan_to_num(floats_of(column))
    return np.maximum(values, 0.0)
