"""Writes column pieces as bare buffers, to pass them from a helper process to its parent.

Not as Arrow IPC, since a helper that imports no Arrow starts in half the time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

if TYPE_CHECKING:
    from typing import BinaryIO

    import numpy.typing as npt

    from nbprof.sources.chrome.batch import Pieces

#: Each column starts at a multiple of these bytes.
_ALIGNMENT: Final = 8


class Block(msgspec.Struct, frozen=True):
    """Pieces with the same columns, joined.

    Attributes
    ----------
    table : str
        Name of the table.
    rows : int
        Number of rows.
    columns : list of (str, str)
        Name and data type of each column, in the order in which they are written.
    """

    table: str
    rows: int
    columns: list[tuple[str, str]]


def write_pieces(stream: BinaryIO, tables: dict[str, list[Pieces]]) -> list[Block]:
    """Write the pieces of tables, emptying the lists, and return a description of the content."""
    blocks = []
    for table, pieces in tables.items():
        for columns, alike in _by_columns(pieces).items():
            rows = sum(len(piece["order"]) for piece in alike)
            blocks.append(Block(table, rows, list(columns)))
            for name, _ in columns:
                _write(stream, [piece.pop(name) for piece in alike])
    return blocks


def _by_columns(pieces: list[Pieces]) -> dict[tuple[tuple[str, str], ...], list[Pieces]]:
    found: dict[tuple[tuple[str, str], ...], list[Pieces]] = {}
    for piece in pieces:
        columns = tuple((name, values.dtype.str) for name, values in piece.items())
        found.setdefault(columns, []).append(piece)
    pieces.clear()
    return found


def _write(stream: BinaryIO, parts: list[npt.NDArray[Any]]) -> None:
    """Write the parts of a column one after the other."""
    stream.writelines(np.ascontiguousarray(part).data for part in parts)
    stream.write(bytes(-sum(part.nbytes for part in parts) % _ALIGNMENT))


def read_pieces(content: Any, blocks: list[Block]) -> dict[str, list[Pieces]]:
    """Return the pieces that `write_pieces` wrote, by table; the arrays are read-only.

    Parameters
    ----------
    content : bytes-like
        Begins with the columns; the arrays are views of it.
    blocks : list of Block
        Description of the columns.

    Raises
    ------
    ValueError
        The content is too short.
    """
    tables: dict[str, list[Pieces]] = {}
    at = 0
    for block in blocks:
        piece: Pieces = {}
        for name, kind in block.columns:
            piece[name] = np.frombuffer(content, kind, block.rows, at)
            at += piece[name].nbytes + -piece[name].nbytes % _ALIGNMENT
        tables.setdefault(block.table, []).append(piece)
    return tables
