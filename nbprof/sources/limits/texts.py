"""Cuts texts in the tables and the metadata of a trace that are far longer than any real one.

The length is checked only here, for all formats. Every view, page, chart and pattern goes through
the texts that it shows several times, so one name of 60 MB would take minutes of them all.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from nbprof.model.arrays import numpy_of
from nbprof.model.building import arrow_array, filled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from nbprof.sources.defects import DefectLog

#: Characters of a name, at most; the longest of any recorded trace so far has 5,160.
LONGEST_NAME: Final = 1 << 16

#: Characters of a list of shapes or a call stack, at most.
LONGEST_LIST: Final = 1 << 20

#: Columns with JSON text, which is of no use when cut: longer ones are left out.
_JSON: Final = frozenset(
    {"input_shapes", "input_types", "output_shapes", "grid", "block", "packets", "ranks"}
)

#: Columns with frames joined by this sign, which are cut after a frame.
_STACK: Final = "call_stack"
_BETWEEN: Final = ";"

#: How deep metadata is searched.
_DEEP: Final = 8

_KIND: Final = "texts that are too long"


def within_length(
    tables: Mapping[str, pa.Table], metadata: dict[str, Any], defects: DefectLog
) -> tuple[dict[str, pa.Table], dict[str, Any]]:
    """Return tables and metadata without long texts; the same tables if there are none.

    Parameters
    ----------
    tables : mapping of str to pyarrow.Table
        All tables of a trace.
    metadata : dict
        What the recording says about itself.
    defects : DefectLog
        Counts the texts that are cut.
    """
    found = dict(tables)
    for name, table in tables.items():
        for place, field in enumerate(table.schema):
            column = table.column(place)
            if _is_long(column):
                what = f"{field.name.replace('_', ' ')} of {name.replace('_', ' ')}"
                chunks = [_shortened(chunk, field.name, what, defects) for chunk in column.chunks]
                shorter = pa.chunked_array(chunks, field.type)
                found[name] = found[name].set_column(place, field, shorter)
    return found, {key: _plain(value, key, defects) for key, value in metadata.items()}


def _is_long(column: pa.ChunkedArray) -> bool:
    """Return whether a text of a column may be too long."""
    if pa.types.is_dictionary(column.type):
        texts = [chunk.dictionary for chunk in column.chunks]
    elif pa.types.is_string(column.type):
        texts = column.chunks
    else:
        return False
    longest = (pc.max(pc.binary_length(one)).as_py() for one in texts if len(one))
    return any(length is not None and length > LONGEST_NAME for length in longest)


def _shortened(chunk: pa.Array, column: str, what: str, defects: DefectLog) -> pa.Array:
    """Return an array of texts, with or without a dictionary, with long texts cut or left out."""
    if not pa.types.is_dictionary(chunk.type):
        return arrow_array(_cut_all(chunk.to_pylist(), column, what, defects), chunk.type)
    # A text that was cut may equal another one, and the texts of a dictionary differ.
    texts = _cut_all(chunk.dictionary.to_pylist(), column, what, defects)
    codes: dict[str, int] = {}
    new = [-1 if text is None else codes.setdefault(text, len(codes)) for text in texts]
    rows = np.array([*new, -1], np.int64)[numpy_of(filled(chunk.indices, -1))]
    indices = arrow_array(rows, pa.int64(), mask=rows < 0).cast(chunk.type.index_type)
    values = arrow_array(list(codes), chunk.type.value_type)
    return pa.DictionaryArray.from_arrays(indices, values)


def _cut_all(
    texts: list[str | None], column: str, what: str, defects: DefectLog
) -> list[str | None]:
    limit = LONGEST_LIST if column in _JSON or column == _STACK else LONGEST_NAME
    return [
        text if text is None or len(text) <= limit else _cut(text, column, what, defects)
        for text in texts
    ]


def _cut(text: str, column: str, what: str, defects: DefectLog) -> str | None:
    """Return the beginning of a long text, and a mark that no other text has; None for JSON."""
    size = f"{what} has {len(text):,} characters"
    if column in _JSON:
        defects.note(_KIND, 1, f"{size}; left out")
        return None
    limit = LONGEST_LIST if column == _STACK else LONGEST_NAME
    defects.note(_KIND, 1, f"{size}; cut: {text[:40]!r}")
    if column == _STACK:
        frames, between, _ = text[:limit].rpartition(_BETWEEN)
        return frames if between else text[:LONGEST_NAME]
    return shortened(text, limit)


def shortened(text: str, limit: int) -> str:
    """Return the beginning of a text of more than `limit` characters, and what no other one has."""
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
    return f"{text[: limit - 64]}… [{len(text):,} characters, {digest}]"


def _plain(value: Any, key: str, defects: DefectLog, depth: int = 0) -> Any:
    """Return a value of the metadata with long texts in it cut."""
    if isinstance(value, str):
        return _cut_all([value], "", f"{key} of the recording", defects)[0]
    if depth == _DEEP or not isinstance(value, (dict, list)):  # tuples are nbprof's, of numbers
        return value
    if isinstance(value, dict):
        pairs = [_plain([*pair], key, defects, depth + 1) for pair in value.items()]
        changed = any(pair != [*old] for pair, old in zip(pairs, value.items(), strict=True))
        return dict(map(tuple, pairs)) if changed else value
    parts = [_plain(one, key, defects, depth + 1) for one in value]
    changed = any(new is not old for new, old in zip(parts, value, strict=True))
    return parts if changed else value
