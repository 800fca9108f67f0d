"""What was collected of a part of a file, on its way from the process that read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from nbprof.sources.parallel_columns import read_pieces, write_pieces

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import BinaryIO

    from nbprof.sources.batch import Pieces
    from nbprof.sources.codes import CodeArray, Codes
    from nbprof.sources.faults import Faults
    from nbprof.sources.rows import Rows
    from nbprof.sources.windows import EventWindows

#: Columns that hold numbers of texts, and which texts those are.
_TEXTS_OF: Final = {
    "name": "name",
    "input_shapes": "input_shapes",
    "input_types": "input_types",
    "call_stack": "call_stack",
    "grid": "extent",
    "block": "extent",
    "series": "series",
}


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
    events, dropped, runtimes, recorded, collectives
        As of `Rows` and its context, positions in the file counted from the part's first event.
    texts : dict of str to list of str
        What the codes of columns stand for.
    threads : list of (str, int, str)
        The same for threads.
    thread_names : list of (str, int, str)
        Process, thread and name.
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
    dropped: dict[str, int]
    runtimes: dict[str, int]
    recorded: tuple[int, int] | None
    collectives: list[dict[str, Any]]
    texts: dict[str, list[str]]
    threads: list[tuple[str, int, str]]
    thread_names: list[tuple[str, int, str]]
    faults: list[tuple[str, int, str]]
    streams: int


def write_part(stream: BinaryIO, windows: EventWindows, rows: Rows, faults: Faults) -> None:
    """Write a part that has been read, `rows` being emptied."""
    streams = write_pieces(stream, _pieces(rows))
    part = Part(
        stopped_at=windows.stopped_at,
        closed=windows.closed,
        tail=windows.tail,
        exact=windows.decoder.exact,
        was_lax=windows.decoder.was_lax,
        events=rows.events,
        dropped=rows.dropped,
        runtimes=rows.runtimes,
        recorded=rows.recorded,
        collectives=rows.context.collectives,
        texts={name: codes.texts for name, codes in _codes(rows).items()},
        threads=rows.context.threads.keys_seen,
        thread_names=[(*key, name) for key, name in rows.other.thread_names.items()],
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


def add_part(rows: Rows, faults: Faults, part: Part, tables: Mapping[str, list[Pieces]]) -> None:
    """Add a part to the rows of all that comes before it in the file."""
    numbers = {name: codes.adopt(part.texts[name]) for name, codes in _codes(rows).items()}
    renumber = {column: numbers[name] for column, name in _TEXTS_OF.items()}
    renumber["thread"] = rows.context.threads.adopt(part.threads)
    for table, pieces in _pieces(rows).items():
        pieces += [_placed(piece, renumber, rows.events) for piece in tables.get(table, ())]
    rows.context.collectives += [
        {**one, "order": one["order"] + rows.events} for one in part.collectives
    ]
    rows.other.thread_names.update({(pid, tid): name for pid, tid, name in part.thread_names})
    rows.events += part.events
    rows.dropped.update(part.dropped)
    rows.runtimes.update(part.runtimes)
    rows.recorded = part.recorded or rows.recorded
    faults.add(part.faults)


def _placed(piece: Pieces, renumber: Mapping[str, CodeArray], events: int) -> Pieces:
    """Return a piece as if the part had been read after so many events."""
    placed = {**piece, "order": piece["order"] + events}
    for column in placed.keys() & renumber.keys():
        placed[column] = renumber[column][placed[column]]
    return placed


def _pieces(rows: Rows) -> dict[str, list[Pieces]]:
    return {
        "host": rows.host.pieces,
        "device": rows.device.pieces,
        "memory": rows.other.memory,
        "flows": rows.other.flows,
        "counters": rows.other.counters,
        "skipped": rows.skipper.pieces,
        "skipped work": rows.skipper.work,
    }


def _codes(rows: Rows) -> dict[str, Codes]:
    return {
        "name": rows.context.names,
        "input_shapes": rows.host.shapes,
        "input_types": rows.host.types,
        "call_stack": rows.host.stacks,
        "extent": rows.device.extents,
        "series": rows.other.series,
    }
