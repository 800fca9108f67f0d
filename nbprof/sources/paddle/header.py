"""Reads the metadata in the header of a Paddle file: the version of its schema, and its span."""

from __future__ import annotations

from typing import Any, Final

from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.chrome.dictionaries import id_text

#: Keys of the span: Paddle 2 and 3 spell them differently.
SPAN_KEYS: Final = ("span_indx", "span_index")


def header_metadata(version: Any, span: Any) -> dict[str, Any]:
    """Return metadata from the header of a file.

    Parameters
    ----------
    version : str or None
        Version of the schema.
    span : str, int or None
        Number of the span; files without it belong to the first span.
    """
    found: dict[str, Any] = {"span_index": max(as_integer(span, missing=0), 0)}
    if isinstance(version, (str, int, float)):
        found["schema_version"] = id_text(version)
    return found
