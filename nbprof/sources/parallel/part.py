"""What was collected of a part of a file, on its way from the process that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from nbprof.sources.parallel.columns import read_pieces, write_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from nbprof.sources.chrome.batch import Context, Pieces
    from nbprof.sources.chrome.codes import CodeArray, Codes
    from nbprof.sources.chrome.decoding import Window
    from nbprof.sources.chrome.windows import EventWindows
    from nbprof.sources.faults import Faults


class Part(msgspec.Struct):
    """All of a part but its columns.

    Attributes
    ----------
    stopped_at : int
        The cut where it ends, 0 if that is the end of the file.
    closed, tail
        As of `EventWindows`.
    exact, was_lax
        As of `WindowDecoder`.
    events : int
        How many events it holds.
    told : dict
        What else `Rows` tell; positions in the file are counted from the part's first event.
    texts : dict of str to list of str
        What the codes of columns stand for.
    threads : list of (str, int, str)
        The same for threads.
    faults : list of (str, int, str)
        Kind, count and first example.
    streams : int
        How many streams of columns there are.
    """

    stopped_at: int
    closed: bool
    tail: bytes
    exact: bool
    was_lax: bool
    events: int
    told: dict[str, Any]
    texts: dict[str, list[str]]
    threads: list[tuple[str, int, str]]
    faults: list[tuple[str, int, str]]
    streams: int


class Collected(Protocol):
    """What parts consist of: rows of whichever format.

    Attributes
    ----------
    context : Context
    events : int
        How many events there were.
    text_columns : dict of str to str
        Columns that hold numbers of texts, and which texts those are.
    """

    context: Context
    events: int
    text_columns: Mapping[str, str]

    def add(self, window: Window) -> None:
        """Take in a window."""

    def pieces(self) -> dict[str, list[Pieces]]:
        """Return the pieces of columns by table: the lists themselves."""

    def codes(self) -> dict[str, Codes]:
        """Return what gives numbers to texts."""

    def told(self) -> dict[str, Any]:
        """Return what is neither column nor text, as JSON can hold it."""

    def add_told(self, told: dict[str, Any]) -> None:
        """Take in what the rows that come next in the file tell; their events do not count yet."""


def write_part(stream: BinaryIO, windows: EventWindows, rows: Collected, faults: Faults) -> None:
    """Write a part that has been read, `rows` being emptied."""
    streams = write_pieces(stream, rows.pieces())
    part = Part(
        stopped_at=windows.stopped_at,
        closed=windows.closed,
        tail=windows.tail,
        exact=windows.decoder.exact,
        was_lax=windows.decoder.was_lax,
        events=rows.events,
        told=rows.told(),
        texts={name: codes.texts for name, codes in rows.codes().items()},
        threads=rows.context.threads.keys_seen,
        faults=faults.found(),
        streams=streams,
    )
    text = msgspec.json.encode(part)
    stream.write(text)
    stream.write(len(text).to_bytes(8, "little"))


def read_part(content: Any) -> tuple[Part, dict[str, list[Pieces]]]:
    """Return a part and its columns by table; those are views of `content` (bytes-like).

    Raises
    ------
    ValueError
        It is not complete.
    """
    whole = memoryview(content)
    length = int.from_bytes(whole[-8:], "little")
    part = msgspec.json.decode(whole[-8 - length : -8], type=Part)
    return part, read_pieces(content, part.streams)


def add_part(
    rows: Collected, faults: Faults, part: Part, tables: Mapping[str, list[Pieces]]
) -> None:
    """Add a part to the rows of all that comes before it in the file."""
    numbers = {name: codes.adopt(part.texts[name]) for name, codes in rows.codes().items()}
    renumber = {column: numbers[name] for column, name in rows.text_columns.items()}
    renumber["thread"] = renumber["lane"] = rows.context.threads.adopt(part.threads)
    for table, pieces in rows.pieces().items():
        pieces += [_placed(piece, renumber, rows.events) for piece in tables.get(table, ())]
    rows.add_told(part.told)
    rows.events += part.events
    faults.add(part.faults)


def _placed(piece: Pieces, renumber: Mapping[str, CodeArray], events: int) -> Pieces:
    """Return a piece as if the part had been read after so many events."""
    placed = {**piece, "order": piece["order"] + events}
    for column in placed.keys() & renumber.keys():
        placed[column] = renumber[column][placed[column]]
    return placed
