"""`TraceData`: the Arrow tables of one trace, and a cache of results computed from them.

Modules that compute nesting, launches and steps use this class; `TraceModel` extends it with
properties for their results.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from nbprof.model.arrays import codes_of, joined
from nbprof.model.building import empty_table
from nbprof.model.names.demangling import readable_names
from nbprof.model.trace import schema
from nbprof.model.trace.dialect import PLAIN, Dialect

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import numpy as np
    from typing_extensions import Self

    from nbprof.model.trace.dialect import Capabilities, Vocabulary
    from nbprof.model.trace.warning import TraceWarning

T = TypeVar("T")


@dataclass
class TraceData:
    """The tables of one worker and span (see `nbprof.model.trace.schema`).

    Tables are immutable. Derived data is computed on first use under a lock, since
    widget handlers may run on another thread than the user's cell.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        One table for every name in `schema.TABLES`; a missing one is taken as empty.
    metadata : dict
        Metadata of the file: known keys only. Always holds ``epoch_ns`` (absolute time of relative
        time 0), ``end_ns`` (relative end of the last event) and ``events`` (count). For a part of a
        recording, ``steps`` describes the steps of the whole recording.
    warnings : list of TraceWarning
        What was repaired, skipped or inconsistent while reading.
    communication_names : tuple of str
        The user's rules for communication; `TraceModel.under` returns a model with other rules.
    dialect : Dialect
        What the recorder records, and the words it uses.
    """

    tables: Mapping[str, pa.Table]
    metadata: dict[str, Any]
    warnings: list[TraceWarning] = field(default_factory=list)
    communication_names: tuple[str, ...] = ()
    dialect: Dialect = PLAIN

    def __post_init__(self) -> None:
        """Fill in empty tables and prepare the cache."""
        self.tables = {
            name: self.tables[name] if name in self.tables else empty_table(columns)
            for name, columns in schema.TABLES.items()
        }
        self._lock = threading.RLock()
        self._cache: dict[object, Any] = {}
        #: The same model under other rules, and the cache of the last rules.
        self._read_as: Self | None = None
        self._under: tuple[tuple[str, ...], dict[object, Any], dict[str, Any]] = ((), {}, {})

    @property
    def as_read(self) -> Self:
        """The same trace without the user's rules for communication."""
        return self._read_as or self

    def cached(self, key: object, make: Callable[[], T]) -> T:
        """Return the cached value of `key`, computing it on first use."""
        with self._lock:
            if key not in self._cache:
                self._cache[key] = make()
            value: T = self._cache[key]
            return value

    def put(self, key: object, value: object) -> None:
        """Store a value computed earlier, such as in another session, under `key`."""
        with self._lock:
            self._cache.setdefault(key, value)

    def column(self, table: str, name: str) -> np.ndarray:
        """Return a column as a NumPy array; for dictionary columns the codes (-1 for null).

        Shape (rows,). The text behind codes is `values(table, name)`.
        """
        key = ("column", table, name)
        return self.as_read.cached(key, lambda: _to_numpy(self.tables[table].column(name)))

    def values(self, table: str, name: str) -> list[str]:
        """Return the distinct texts of a dictionary column, indexed by its codes.

        Names are demangled (see `nbprof.model.names.demangling`); `recorded` has them as in the
        file. Distinct names stay distinct.
        """
        if name != "name":
            return self.recorded(table, name)
        recorded = self.recorded(table, name)
        return self.as_read.cached(("values", table, name), lambda: readable_names(recorded))

    def recorded(self, table: str, name: str = "name") -> list[str]:
        """Return the distinct texts of a dictionary column as they were recorded."""
        key = ("recorded", table, name)
        return self.as_read.cached(key, lambda: _dictionary(self.tables[table].column(name)))

    def recorded_names(self, table: str) -> dict[int, str]:
        """Return the recorded forms of demangled names, by their codes."""

        def make() -> dict[int, str]:
            shown, recorded = self.values(table, "name"), self.recorded(table)
            both = () if shown is recorded else zip(shown, recorded, strict=True)
            return {code: old for code, (new, old) in enumerate(both) if new != old}

        return self.as_read.cached(("recorded names", table), make)

    @property
    def capabilities(self) -> Capabilities:
        """The columns, tables and cards of the recorder, and how they are computed."""
        return self.dialect.capabilities

    @property
    def vocabulary(self) -> Vocabulary:
        """The names that the recorder and its framework use."""
        return self.dialect.vocabulary


def _dictionary(column: pa.ChunkedArray) -> list[str]:
    if column.num_chunks == 0:
        return []
    unified = column.unify_dictionaries()
    values: list[str] = unified.chunk(0).dictionary.to_pylist()
    return values


def _to_numpy(column: pa.ChunkedArray) -> np.ndarray:
    return codes_of(column) if pa.types.is_dictionary(column.type) else joined(column)
