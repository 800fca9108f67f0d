"""Transfers the columns of a part of a file from the process that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from nbprof.sources.parallel.columns import Block, read_pieces, write_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from nbprof.sources.chrome.batch import Context, Pieces
    from nbprof.sources.chrome.decoding import Window
    from nbprof.sources.chrome.dictionaries import CodeArray, TextDictionary
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.defects import DefectLog


class Part(msgspec.Struct):
    """A part of a file, without its columns.

    Attributes
    ----------
    stopped_at : int
        The cut where it ends, 0 for the end of the file.
    closed, tail
        As of `EventWindows`.
    exact, was_lax
        As of `WindowDecoder`.
    events : int
        Number of events.
    facts : dict
        Other results of `Rows`; positions count from the first event of the part.
    texts : dict of str to list of str
        Texts by the codes in columns.
    threads : list of (str, int, str)
        Threads by their codes.
    defects : list of (str, int, str)
        Kind, count and first example.
    blocks : list of Block
        Description of the columns.
    """

    stopped_at: int
    closed: bool
    tail: bytes
    exact: bool
    was_lax: bool
    events: int
    facts: dict[str, Any]
    texts: dict[str, list[str]]
    threads: list[tuple[str, int, str]]
    defects: list[tuple[str, int, str]]
    blocks: list[Block]


class Collected(Protocol):
    """Protocol of the rows collected from a part, for every format.

    Attributes
    ----------
    context : Context
    events : int
        How many events there were.
    text_columns : dict of str to str
        Columns of text codes, and the name of the texts they refer to.
    """

    context: Context
    events: int
    text_columns: Mapping[str, str]

    def add(self, window: Window) -> None:
        """Add the events of a window."""

    def pieces(self) -> dict[str, list[Pieces]]:
        """Return the lists of column pieces by table, not copies of them."""

    def codes(self) -> dict[str, TextDictionary]:
        """Return the dictionaries that assign codes to texts."""

    def facts(self) -> dict[str, Any]:
        """Return the results that are neither columns nor texts, in JSON-compatible form."""

    def add_facts(self, facts: dict[str, Any]) -> None:
        """Add such results of the next rows in the file; their events are not counted yet."""


def write_part(
    stream: BinaryIO, windows: EventWindows, rows: Collected, defects: DefectLog
) -> None:
    """Write a part that was read, emptying `rows`."""
    blocks = write_pieces(stream, rows.pieces())
    part = Part(
        stopped_at=windows.stopped_at,
        closed=windows.closed,
        tail=windows.tail,
        exact=windows.decoder.exact,
        was_lax=windows.decoder.was_lax,
        events=rows.events,
        facts=rows.facts(),
        texts={name: codes.texts for name, codes in rows.codes().items()},
        threads=rows.context.threads.keys_seen,
        defects=defects.found(),
        blocks=blocks,
    )
    text = msgspec.json.encode(part)
    stream.write(text)
    stream.write(len(text).to_bytes(8, "little"))


def read_part(content: Any) -> tuple[Part, dict[str, list[Pieces]]]:
    """Return a part and its columns by table, which are views of `content` (bytes-like).

    Raises
    ------
    ValueError
        It is not complete.
    """
    whole = memoryview(content)
    length = int.from_bytes(whole[-8:], "little")
    part = msgspec.json.decode(whole[-8 - length : -8], type=Part)
    return part, read_pieces(content, part.blocks)


def add_part(
    rows: Collected, defects: DefectLog, part: Part, tables: Mapping[str, list[Pieces]]
) -> None:
    """Append a part to the rows of everything before it in the file."""
    numbers = {name: codes.adopt(part.texts[name]) for name, codes in rows.codes().items()}
    renumber = {column: numbers[name] for column, name in rows.text_columns.items()}
    renumber["thread"] = renumber["lane"] = rows.context.threads.adopt(part.threads)
    for table, pieces in rows.pieces().items():
        pieces += [_placed(piece, renumber, rows.events) for piece in tables.get(table, ())]
    rows.add_facts(part.facts)
    rows.events += part.events
    defects.add(part.defects)


def _placed(piece: Pieces, renumber: Mapping[str, CodeArray], events: int) -> Pieces:
    """Return a piece with positions shifted by the number of events before the part."""
    placed = {**piece, "order": piece["order"] + events}
    for column in placed.keys() & renumber.keys():
        placed[column] = renumber[column][placed[column]]
    return placed
