"""Dictionary-encodes texts as they arrive; each new text gets the next code."""

from __future__ import annotations

import json
import zlib
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from nbprof.sources.chrome.columns import as_integer
from nbprof.sources.chrome.events import NO_TEXT
from nbprof.sources.chrome.repair import Repair, repair_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa

    from nbprof.sources.defects import DefectLog

CodeArray = npt.NDArray[np.int32]

UNNAMED = "<unnamed>"

#: Decodes also numbers of so many digits and such exponents that the usual one does not.
_any_floats = msgspec.json.Decoder(float_hook=float)

#: Between texts; valid JSON contains none.
_SEPARATOR = b"\0"


class TextDictionary(dict[Any, int]):
    """Maps values to codes in the order of arrival; -1 means no value.

    Values with the same text have the same code. Subclasses define the text of a value.
    """

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._number: dict[str, int] = {}

    def __missing__(self, value: Any) -> int:
        text = self.text(value)
        if text is None:
            self[value] = -1
            return -1
        number = self._number.setdefault(text, len(self._number))
        if number == len(self.texts):
            self.texts.append(text)
        self[value] = number
        return number

    def text(self, value: Any) -> str | None:
        """Return the text of a value, None for no value."""
        return value if isinstance(value, str) and value else None

    def encode(self, values: Iterable[Any], count: int) -> CodeArray:
        """Return the codes of `count` values, shape (count,)."""
        return np.fromiter(map(self.__getitem__, values), np.int32, count)

    def adopt(self, texts: Sequence[str]) -> CodeArray:
        """Add the texts of a dictionary of a later part of the file.

        Returns
        -------
        ndarray of int32, shape (texts + 1,)
            The code in this dictionary for each code of the other; the last one is for -1.
        """
        numbers = [self._number.setdefault(text, len(self._number)) for text in texts]
        self.texts += [text for text, n in zip(texts, numbers, strict=True) if n >= len(self.texts)]
        return np.array([*numbers, -1], np.int32)


def _no_codes(count: int) -> CodeArray:
    """Return the codes of `count` values without a text, shape (count,)."""
    return np.full(count, -1, np.int32)


class Names(TextDictionary):
    """Names of events; missing names become ``<unnamed>``."""

    def text(self, value: Any) -> str:
        """Return the name."""
        return value if isinstance(value, str) and value else UNNAMED

    @property
    def unnamed(self) -> int:
        """Code of missing names, -2 without any."""
        return self._number.get(UNNAMED, -2)


class Stacks(TextDictionary):
    """Call stacks; some writers end them with a separator."""

    def text(self, value: Any) -> str | None:
        """Return the frames joined by ``;``."""
        return (value.rstrip("; ") or None) if isinstance(value, str) else None

    def encode(self, values: Iterable[Any], count: int) -> CodeArray:
        """Return the numbers of `count` values, shape (count,)."""
        values = list(values)
        if values.count("") == count:
            return _no_codes(count)
        try:
            return super().encode(values, count)
        except TypeError:  # a list of frames, say
            return super().encode([v if isinstance(v, str) else None for v in values], count)


class JsonTexts(TextDictionary):
    """Arrays as JSON text in one spelling; the values are bytes.

    Parameters
    ----------
    defects : DefectLog
        Counts what is repaired in them, such as numbers that are too large, which become null.
    """

    def __init__(self, defects: DefectLog) -> None:
        super().__init__()
        self._defects = defects
        self._repairs: dict[bytes, list[Repair]] = {}

    def encode_field(self, structs: Sequence[Any], field: str) -> CodeArray:
        """Return the numbers of a field that holds raw text, shape (structs,)."""
        raws = list(map(attrgetter(field), structs))
        # Most fields are in all events or in none.
        if raws.count(NO_TEXT) == len(raws):
            return _no_codes(len(raws))
        # Joining and splitting copies each text twice, and still takes half the time of bytes(raw).
        texts = _SEPARATOR.join(raws).split(_SEPARATOR)
        if len(texts) != len(raws):  # a text contains the separator
            texts = list(map(bytes, raws))
        codes = self.encode(texts, len(texts))
        if self._repairs:
            for text in texts:
                for one in self._repairs.get(text, ()):
                    self._defects.note(one.kind, one.count, one.example)
        return codes

    def text(self, value: Any) -> str | None:
        """Return the array's text, spaced as Python spaces it."""
        if not value:
            return None
        array = self.decoded(value)
        return json.dumps(array, ensure_ascii=False) if isinstance(array, list) else None

    def decoded(self, value: bytes) -> Any:
        """Decode JSON text, None if it cannot even be repaired; note what had to be."""
        try:
            content, repairs = _decode(value)
            if isinstance(content, str):  # an array in quotes
                content, repairs = _decode(content.encode())
        except (ValueError, RecursionError):
            return None
        if repairs:
            self._repairs[value] = repairs
        return content


def _decode(text: bytes) -> tuple[Any, list[Repair]]:
    """Decode JSON text; return also what had to be repaired.

    Raises
    ------
    ValueError, RecursionError
        It cannot be repaired.
    """
    try:
        return msgspec.json.decode(text), []
    except msgspec.DecodeError:
        mended, repairs = repair_json(text)
        return _any_floats.decode(mended), repairs


class Threads(dict[Any, int]):
    """Maps (pid, tid) pairs to numbers in the order of arrival, whatever their spelling.

    Attributes
    ----------
    keys_seen : list of (str, int, str)
        Process, thread, and how the thread was spelled, by number.
    unknown, in_words : set of (pid, tid)
        Pairs without a thread id, and pairs whose thread id is not a number.
    """

    def __init__(self) -> None:
        super().__init__()
        self.keys_seen: list[tuple[str, int, str]] = []
        self.unknown: set[Any] = set()
        self.in_words: set[Any] = set()
        self._number: dict[tuple[str, int], int] = {}
        self._by_process: dict[Any, _ThreadsOfProcess] = {}

    def encode(self, pids: list[Any], tids: list[Any]) -> CodeArray:
        """Return the numbers of threads by their processes, mostly one; shape (pids,)."""
        count = len(pids)
        first = pids[0] if count else None
        if pids.count(first) < count:
            return np.fromiter(map(self.__getitem__, zip(pids, tids, strict=True)), np.int32, count)
        if first not in self._by_process:
            self._by_process[first] = _ThreadsOfProcess(self, first)
        return np.fromiter(map(self._by_process[first].__getitem__, tids), np.int32, count)

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        pid, tid = pair
        key = (id_text(pid), thread_id(tid))
        number = self._number.setdefault(key, len(self._number))
        if number == len(self.keys_seen):
            self.keys_seen.append((*key, id_text(tid)))
        if tid is None:
            self.unknown.add(pair)
        elif isinstance(tid, str) and key[1] == _in_words(tid):
            self.in_words.add(pair)
        self[pair] = number
        return number

    def adopt(self, keys_seen: Sequence[tuple[str, int, str]]) -> CodeArray:
        """Add the threads of a later dictionary, as `TextDictionary.adopt` does."""
        numbers = []
        for pid, tid, text in keys_seen:
            number = self._number.setdefault((pid, tid), len(self._number))
            if number == len(self.keys_seen):
                self.keys_seen.append((pid, tid, text))
            numbers.append(number)
        return np.array([*numbers, -1], np.int32)


class _ThreadsOfProcess(dict[Any, int]):
    """The numbers of the threads of one process: looking a pair up takes a third longer."""

    def __init__(self, threads: Threads, pid: Any) -> None:
        super().__init__()
        self._threads, self._pid = threads, pid

    def __missing__(self, tid: Any) -> int:
        self[tid] = self._threads[self._pid, tid]
        return self[tid]


def id_text(value: Any) -> str:
    """Return an id as text: 1 and 1.0, which are equal, as the same."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return "" if value is None else str(value)


def thread_id(tid: Any) -> int:
    """Return a thread's number: -1 if missing, below that, and stable, for one that is text."""
    if tid is None:
        return -1
    number = as_integer(tid, missing=-1)
    if number == -1 and isinstance(tid, str) and tid.strip() != "-1":
        return _in_words(tid)
    return number


def _in_words(tid: str) -> int:
    return -2 - zlib.crc32(tid.encode("utf-8", "replace"))


def dictionary_array(codes: CodeArray, texts: Sequence[str]) -> pa.DictionaryArray:
    """Return codes as an Arrow dictionary array over those texts that are used; -1 is null."""
    import pyarrow as pa  # here, since the processes that only read need no Arrow

    from nbprof.model.building import arrow_array

    used = np.zeros(len(texts) + 1, bool)
    used[codes] = True  # index -1 selects the last entry, which is not a text
    used[-1] = False
    renumber = np.cumsum(used, dtype=np.int32) - 1
    kept = [texts[i] for i in np.flatnonzero(used).tolist()]
    null = codes < 0
    indices = arrow_array(renumber[codes], pa.int32(), mask=null if null.any() else None)
    return pa.DictionaryArray.from_arrays(indices, arrow_array(kept, pa.utf8()))
