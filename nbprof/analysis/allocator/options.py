"""What the tables of the allocator share: the option for a moment, and how a filter applies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from nbprof.analysis.allocator.history import allocator_histories
from nbprof.analysis.memory.curve import holds_memory
from nbprof.model.arrays import encoded, joined
from nbprof.model.building import filled
from nbprof.model.contract.spec import Option
from nbprof.model.errors import FilterError
from nbprof.model.filters import selection
from nbprof.model.filters.patterns import match_names

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from nbprof.analysis.allocator.history import AllocatorHistory
    from nbprof.model.filters.filter import Filter
    from nbprof.model.trace.model import TraceModel

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

#: Why the tables are empty where there is memory but no snapshot.
NO_SNAPSHOT: Final = (
    "Only memory snapshots record it. Write one with torch.cuda.memory._record_memory_history() "
    "and torch.cuda.memory._dump_snapshot(path)."
)


def moment_option(default: str) -> Option:
    """Return the option for the moment that a table describes.

    Parameters
    ----------
    default : str
        What it describes without the option, as the end of a sentence.
    """
    return Option(
        "time_us",
        None,
        f"The moment, after all events up to then, in microseconds; by default {default}.",
        type=float,
        annotation="float | None",
    )


def checked_time(time_us: float | None) -> float | None:
    """Return a moment.

    Raises
    ------
    FilterError
        It is not a number.
    """
    is_number = isinstance(time_us, (int, float)) and not isinstance(time_us, bool)
    if time_us is not None and not (is_number and math.isfinite(time_us)):
        message = f"time_us is a moment in microseconds, such as 1500.0, not {time_us!r}."
        raise FilterError(message)
    return time_us


def kept_histories(model: TraceModel, filter_: Filter) -> list[AllocatorHistory]:
    """Return the histories of the devices that a filter keeps."""
    if not holds_memory(filter_):
        return []
    return [
        history
        for number, history in allocator_histories(model).items()
        if filter_.devices is None or number in filter_.devices
    ]


def kept_blocks(history: AllocatorHistory, filter_: Filter, *, placed: bool) -> Mask:
    """Return which blocks of a device the filter keeps, shape (blocks,).

    The name applies to the frames and the category of a block, and streams to where it was
    allocated. A block is in a range of time if its allocation is; one from before the recording if
    its release is, and one held throughout if there is no range.

    Parameters
    ----------
    history : AllocatorHistory
        The device.
    filter_ : Filter
        Selects blocks.
    placed : bool
        Whether the range of time applies.
    """
    model, lives = history.model, history.lives
    keep = np.ones(len(lives), bool)
    if filter_.name is not None:
        keep &= matching_blocks(history, filter_.name)
    if filter_.streams is not None:
        keep &= np.isin(streams_of(history), filter_.streams)
    window = selection.window(model, filter_) if placed else None
    if window is not None:
        row = np.where(lives.allocation >= 0, lives.allocation, lives.release)
        time = model.column("allocator_events", "time_ns")
        at = time[row] if len(time) else row
        inside = np.zeros(len(lives), bool)
        for start, end in zip(*(side.tolist() for side in window), strict=True):
            inside |= (at >= start) & (at < end)
        keep &= inside & (row >= 0)
    return keep


def matching_blocks(
    history: AllocatorHistory, name: str, match: Callable[[list[str], str], Mask] = match_names
) -> Mask:
    """Return which blocks have a frame, a category or a note that matches a name."""
    found = np.zeros(len(history.lives), bool)
    for column in ("call_stack", "category", "note"):
        codes, texts = texts_of(history, column)
        matches = np.append(match(texts, name), False)  # last: none
        found |= matches[codes]
    return found


def matching_texts(column: pa.ChunkedArray, name: str) -> Mask:
    """Return which texts of a column match a name; missing ones do not."""
    coded = encoded(column)
    texts = [text or "" for text in coded.dictionary.to_pylist()]
    found: Mask = np.append(match_names(texts, name), False)[joined(filled(coded.indices, -1))]
    return found


def texts_of(history: AllocatorHistory, column: str) -> tuple[Ints, list[str]]:
    """Return a text of every block: codes of shape (blocks,), -1 for none, and their texts.

    It is that of the allocation, else that in the snapshot. Releases are not asked: theirs is where
    the block was released.
    """

    def make() -> tuple[Ints, list[str]]:
        model, lives = history.model, history.lives
        texts = model.values("allocator_events", column)
        known = {text: code for code, text in enumerate(texts)}
        final = model.values("allocator_blocks", column)
        moved = np.array([*(known.setdefault(text, len(known)) for text in final), -1], np.int64)
        codes = _at(model.column("allocator_events", column), lives.allocation)
        held = moved[_at(model.column("allocator_blocks", column), lives.final)]
        return np.where(codes >= 0, codes, held), list(known)

    return history.model.cached(("allocator texts", history.device, column), make)


def streams_of(history: AllocatorHistory) -> Ints:
    """Return the stream of every block, -1 if unknown."""
    model, lives = history.model, history.lives
    row = np.where(lives.allocation >= 0, lives.allocation, lives.release)
    stream = _at(model.column("allocator_events", "stream"), row)
    held = _at(model.column("allocator_blocks", "stream"), lives.final)
    return np.where(stream >= 0, stream, held)


def _at(values: npt.NDArray[np.integer], rows: Ints) -> Ints:
    """Return values at rows, -1 at -1."""
    return np.append(values.astype(np.int64), -1)[rows]
