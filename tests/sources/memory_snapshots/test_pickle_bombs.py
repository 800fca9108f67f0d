"""Pickles of plain values that take an unpickler for ever, crash it, or fill the memory."""

from __future__ import annotations

import gzip
import pickle
import time
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbprof
from nbprof.sources.memory_snapshots import pickle_form, pickle_reader, plain_pickle
from nbprof.sources.memory_snapshots.pickle_form import is_plain_form
from nbprof.sources.memory_snapshots.pickle_reader import PlainPickleError, read_plain
from nbprof.sources.memory_snapshots.plain_pickle import load_plain
from tests.sources.memory_snapshots.test_memory_snapshot import TRAIN, block, entry, history

if TYPE_CHECKING:
    from pathlib import Path

#: How a snapshot begins, up to the first segment.
START = b"\x80\x04}\x94(\x8c\x08segments]("

#: Seconds that reading one of these files may take on a busy machine; most take a few milliseconds.
SECONDS = 10.0


def number(value: int) -> bytes:
    return b"\x8a\x0a" + value.to_bytes(10, "little", signed=True)


#: Numbers whose hashes are all equal.
EQUAL_HASHES = [number((2**61 - 1) * at) for at in range(30_000)]

#: What stands where the first segment should be.
BOMBS = {
    "tuples in tuples as a key": b"})\x94"
    + b"".join(b"h%c" % at * 2 + b"\x86\x94" for at in range(100))
    + b"Ns",
    "a tuple doubled on the stack as a key": b"})" + b"2\x86" * 100 + b"Ns",
    "100,000 tuples deep": b"})" + b"\x85" * 100_000 + b"Ns",
    "100,000 tuples deep in a set": b"\x8f()" + b"\x85" * 100_000 + b"\x90",
    "frozen sets in frozen sets": b"}(\x91"
    + b"".join(b"q%c(h%ch%c\x85\x91" % (at, at, at) for at in range(200))
    + b"Ns",
    "a tuple of millions hashed again and again": b"("
    + b"N" * 500_000
    + b"t\x94}("
    + b"h\x00N" * 100_000
    + b"u",
    "numbers with equal hashes": b"}(" + b"".join(one + b"N" for one in EQUAL_HASHES) + b"u",
    "the same, one by one": b"}" + b"".join(one + b"Ns" for one in EQUAL_HASHES),
    "the same, in batches": b"}" + b"".join(b"(" + one + b"Nu" for one in EQUAL_HASHES),
    "the same, into a dictionary of the memo": b"}q\x00"
    + b"".join(b"h\x00" + one + b"Ns0" for one in EQUAL_HASHES),
    "the same, in lists": b"}q\x00]("
    + b"".join(b"h\x00" + one + b"Ns" for one in EQUAL_HASHES)
    + b"e",
    "the same, in tuples": b"}(" + b"".join(one + b"\x85N" for one in EQUAL_HASHES) + b"u",
    "the same, in a set": b"\x8f(" + b"".join(EQUAL_HASHES) + b"\x90",
    "the same, in a dictionary of a mark": b"("
    + b"".join(one + b"N" for one in EQUAL_HASHES)
    + b"d",
    "a memo of 32 GiB": b"}r\xff\xff\xff\x7f",
    "a memo of 32 GiB in words": b"}p2147483647\n",
    "bytes of 8 EiB": b"\x8e" + b"\xff" * 7 + b"\x7f",
    "a number of 2 GiB": b"\x8b\xff\xff\xff\x7f",
    "a frame of 8 EiB": b"\x95" + b"\xff" * 7 + b"\x7f",
}


@pytest.mark.parametrize("name", BOMBS)
def test_it_ends_in_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(START + BOMBS[name] + b"eu.")
    began = time.monotonic()
    with pytest.raises(nbprof.TraceFormatError, match="is not read as a memory snapshot"):
        nbprof.load(path, progress=False, cache=False).trace().read()
    assert time.monotonic() - began < SECONDS


def test_deep_lists_are_no_harm(tmp_path: Path) -> None:
    deep = b"]" * 50_000 + b"a" * 49_999
    for data in (b"\x80\x04" + deep + b".", b"\x80\x04(" + deep + b"l."):
        found = load_plain(data, len(data))
        assert isinstance(found, list)
        del found
    path = tmp_path / "s.pickle"
    path.write_bytes(
        START
        + b"}(\x8c\x06blocks"
        + deep
        + b"u"
        + pickle.dumps(block(1, 9))[2:-1]
        + b"e\x8c\rdevice_traces](]"
        + b"eu."
    )
    assert nbprof.load(path, progress=False, cache=False).trace().memory_peak().num_rows == 1


def test_a_small_file_takes_no_gigabytes(tmp_path: Path) -> None:
    path = tmp_path / "s.pickle"
    path.write_bytes(gzip.compress(START + b"}" * 20_000_000 + b"eu.", 1))
    with pytest.raises(nbprof.TraceFormatError, match=r"would take about .* GiB of memory"):
        nbprof.load(path, progress=False, cache=False).trace().read()


@pytest.mark.parametrize("module", [pickle_form, pickle_reader])
def test_the_number_of_instructions_has_a_limit(monkeypatch: Any, module: Any) -> None:
    monkeypatch.setattr(pickle_form, "_MOST_MATCHES", 1000)
    monkeypatch.setattr(pickle_reader, "_MOST", 1000)
    body = b"}a" if module is pickle_form else b"N0"
    data = b"\x80\x04]" + body * 2000 + b"."
    with pytest.raises(PlainPickleError, match="over 1,000 instructions"):
        load_plain(data, len(data))


@pytest.mark.parametrize("shared", ["blocks", "entries"])
def test_rows_that_are_referred_to_again_and_again(tmp_path: Path, shared: str) -> None:
    blocks = [block(4096, 512, TRAIN)] * 3000
    entries = [entry("alloc", 4096, 512, 5, TRAIN)] * 3000
    content = {
        "segments": [{"blocks": blocks if shared == "blocks" else []}] * 3000,
        "device_traces": [entries if shared == "entries" else []] * 3000,
    }
    path = tmp_path / "s.pickle"
    path.write_bytes(pickle.dumps(content))
    assert path.stat().st_size < 100_000
    for source in (path, content):
        with pytest.raises(nbprof.TraceFormatError, match="again and again"):
            nbprof.load(source, progress=False, cache=False).trace().read()


def _deep() -> Any:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize("value", [_deep(), print, lambda: 1, iter(()), object()])
def test_a_dictionary_with_other_values_is_refused(value: Any) -> None:
    with pytest.raises(nbprof.TraceFormatError, match="memory snapshot"):
        nbprof.load({"segments": [value], "device_traces": []}, progress=False).trace().read()


def test_snapshots_are_in_the_form_that_is_fast_to_check() -> None:
    content = {
        **history(),
        "allocator_settings": {"a": "", "b": {256: 1}},
        "more": [(0, 1), {}, []],
    }
    content["device_traces"][0] *= 2000
    content["segments"] *= 2000
    for protocol in (2, 3, 4, 5):
        assert is_plain_form(pickle.dumps(content, protocol)), protocol


_KEYS: st.SearchStrategy[Any] = (
    st.text(max_size=3) | st.integers(-(2**64) + 1, 2**64 - 1) | st.none() | st.binary()
)
_KEYS |= st.tuples(st.integers(0, 9), st.text(max_size=2))
_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.binary()
    | st.text(min_size=250, max_size=260)
    | st.sets(_KEYS),
    lambda inner: st.lists(inner) | st.dictionaries(_KEYS, inner) | st.lists(inner).map(tuple),
    max_leaves=40,
)


@given(value=_VALUES, protocol=st.sampled_from([2, 3, 4, 5]), twice=st.booleans())
def test_plain_values_stay_what_they_are(value: Any, protocol: int, twice: bool) -> None:
    data = pickle.dumps([value, value] if twice else value, protocol)
    result = _result(read_plain, data)
    if result == REFUSED:
        # Early protocols build bytes and sets by calling what they name.
        assert "requires" in _reason(data) if protocol < 4 else "a key that" in _reason(data)
        return
    assert result == repr(pickle.loads(data))  # noqa: S301 - it was made here
    assert _result(load_plain, data, len(data)) == result


@given(data=st.binary(max_size=40), end=st.sampled_from([b".", b"e.", b"u.", b"eu."]))
def test_what_is_in_plain_form_is_read_as_by_the_careful_reader(data: bytes, end: bytes) -> None:
    for start in (b"\x80\x04", b"\x80\x04}(", b"\x80\x04](", START):
        content = start + data + end
        if is_plain_form(content):
            assert _result(plain_pickle.load_plain, content, 1) == _result(read_plain, content)


#: In place of a value that is not read.
REFUSED = "refused"


def _result(read: Any, *given: Any) -> str:
    try:
        return repr(read(*given))
    except PlainPickleError:
        return REFUSED


def _reason(data: bytes) -> str:
    with pytest.raises(PlainPickleError) as caught:
        read_plain(data)
    return str(caught.value)
