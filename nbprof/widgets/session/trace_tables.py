"""Computes tables of traces for a view, and the keys under which they are cached."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from nbprof.defaults import options
from nbprof.model.errors import ExtensionWarning, NbprofError
from nbprof.tables import TABLES
from nbprof.tables.methods import table_spec
from nbprof.tables.trace import compute_table

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from nbprof.model.filters.filter import Filter
    from nbprof.trace import Trace


def table_of(trace: Trace, name: str, grouping: Mapping[str, str]) -> pa.Table:
    """Return a table of a trace.

    Raises
    ------
    NbprofError
        The table belongs to another package and could not be computed.
    """
    try:
        return compute_table(trace, name, **grouping)
    except Exception as error:
        if TABLES.is_own(name) or isinstance(error, NbprofError):
            raise
        what = f"The {TABLES.described(name)} could not be computed"
        words = f"{what}: {type(error).__name__}: {error}"
        warnings.warn(words, ExtensionWarning, stacklevel=2)
        raise NbprofError(words) from error


def words_beside(filter_: Filter, name: str) -> str:
    """Return what is said beside a table about whole devices, empty if all of a filter applies."""
    return filter_.beside_devices if table_spec("trace", name).whole_devices else ""


def cache_key(trace: Trace) -> tuple[Any, ...]:
    """Return the key under which the tables of a trace, its steps and rules are cached.

    A file that was rewritten gets another key.
    """
    under = trace.step, options.communication_names
    return trace.run, trace.worker, trace.span, trace.path, trace.file.bytes, *under
