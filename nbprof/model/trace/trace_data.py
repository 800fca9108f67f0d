"""`TraceData`: the Arrow tables of one trace, and a cache of what is computed from them.

Modules that compute nesting, launches and steps take this class; `TraceModel`, which offers their
results as properties, is built on top of them.
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

T = TypeVar("T")


@dataclass(frozen=True)
class TraceWarning:
    """One kind of repair or oddity: how often, and what it looked like.

    Parameters
    ----------
    kind : str
        Short identifier, such as ``"overlapping slices"``.
    count : int
        How often it happened.
    example : str
        The first one, in words.
    """

    kind: str
    count: int
    example: str


@dataclass
class TraceData:
    """The tables of one worker and span (see `nbprof.model.trace.schema`).

    Tables are immutable; what is derived from them is computed on first use under a lock, since
    widget handlers may run on another thread than the user's cell.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        One table for every name in `schema.TABLES`; a missing one is taken as empty.
    metadata : dict
        What the file says about itself: known keys only. Always holds ``epoch_ns`` (absolute time
        of relative time 0), ``end_ns`` (relative end of the last event) and ``events`` (count). Of
        a part of a recording, ``steps`` holds what the whole of it tells about the steps.
    warnings : list of TraceWarning
        What was repaired, dropped or odd while reading.
    communication_names : tuple of str
        Rules of the user about what communicates; `TraceModel.under` returns a model with others.
    dialect : Dialect
        What the recorder can tell, and the words it uses.
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
        #: The model that this one is under other rules, and what is kept under the last of these.
        self._read_as: Self | None = None
        self._under: tuple[tuple[str, ...], dict[object, Any], dict[str, Any]] = ((), {}, {})

    @property
    def as_read(self) -> Self:
        """The same trace without rules of the user about what communicates."""
        return self._read_as or self

    def cached(self, key: object, make: Callable[[], T]) -> T:
        """Return the value kept under `key`, making it first where it is not there yet."""
        with self._lock:
            if key not in self._cache:
                self._cache[key] = make()
            value: T = self._cache[key]
            return value

    def put(self, key: object, value: object) -> None:
        """Keep under `key` what was made before, such as in another session."""
        with self._lock:
            self._cache.setdefault(key, value)

    def column(self, table: str, name: str) -> np.ndarray:
        """Return a column as a NumPy array; of dictionary columns the codes (-1 for null).

        Shape (rows,). The text behind codes is `values(table, name)`.
        """
        key = ("column", table, name)
        return self.as_read.cached(key, lambda: _to_numpy(self.tables[table].column(name)))

    def values(self, table: str, name: str) -> list[str]:
        """Return the distinct texts of a dictionary column, indexed by its codes.

        Names are as people write them (see `nbprof.model.names.demangling`): `recorded` has them as
        in the file. They are as distinct as those.
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
        """Return the recorded names that people would not read, by their codes."""

        def make() -> dict[int, str]:
            both = zip(self.values(table, "name"), self.recorded(table), strict=True)
            return {code: old for code, (new, old) in enumerate(both) if new != old}

        return self.as_read.cached(("recorded names", table), make)

    @property
    def capabilities(self) -> Capabilities:
        """Which columns, tables and cards there are, and how they are computed."""
        return self.dialect.capabilities

    @property
    def vocabulary(self) -> Vocabulary:
        """What the recorder and its framework call things."""
        return self.dialect.vocabulary


def _dictionary(column: pa.ChunkedArray) -> list[str]:
    if column.num_chunks == 0:
        return []
    unified = column.unify_dictionaries()
    values: list[str] = unified.chunk(0).dictionary.to_pylist()
    return values


def _to_numpy(column: pa.ChunkedArray) -> np.ndarray:
    return codes_of(column) if pa.types.is_dictionary(column.type) else joined(column)
