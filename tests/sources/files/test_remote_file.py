"""Remote files are read by ranges: exact content and few requests."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbprof.sources.files import remote_file
from nbprof.sources.files.filesystems import Status
from nbprof.sources.files.remote import RemotePath
from tests.support.examples import examples

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.files.filesystems import Handle


class Somewhere:
    """A file system with one file that writes down what is asked of it."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self.asked: list[tuple[int, int]] = []
        self.threads: set[str] = set()
        self.version = 1

    def status(self, path: str) -> Status:
        return Status(path, is_dir=False, bytes=len(self.content), version=self.version)

    def below(self, _folder: str) -> list[Status]:
        return []

    def open(self, _path: str) -> Handle:
        return self

    def read_at(self, offset: int, size: int) -> bytes:
        self.asked.append((offset, size))
        self.threads.add(threading.current_thread().name.split("_")[0])
        return self.content[offset : offset + size]

    def close(self) -> None:
        pass


def path_to(place: Somewhere) -> RemotePath:
    return RemotePath("test://x", place.status("x"), "test://x", place)


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(remote_file, "FIRST_BLOCK", 8)
    monkeypatch.setattr(remote_file, "AHEAD", 32)
    monkeypatch.setattr(remote_file, "LARGEST_BLOCK", 100)
    return iter(())


ACTIONS = st.lists(
    st.tuples(st.just("read"), st.integers(0, 300))
    | st.tuples(st.just("seek"), st.integers(0, 900)),
    max_size=25,
)


@settings(max_examples=examples(150))
@given(st.binary(max_size=800), ACTIONS)
def test_any_reading_gives_what_is_there(content: bytes, actions: list[tuple[str, int]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("FIRST_BLOCK", 8), ("AHEAD", 32), ("LARGEST_BLOCK", 100)):
            patch.setattr(remote_file, name, value)
        file = path_to(Somewhere(content)).open()
        at = 0
        for action, number in actions:
            if action == "seek":
                at = file.seek(number)
            else:
                assert file.read(number) == content[at : at + number]
                at = min(len(content), at + number) if at <= len(content) else at
            assert file.tell() == at
        file.close()


def test_reading_on_asks_for_larger_blocks_ahead_and_nothing_twice(small_blocks: None) -> None:
    place = Somewhere(bytes(range(256)) * 8)
    file = path_to(place).open()
    while file.read(16):
        pass
    file.close()
    sizes = [size for _, size in place.asked]
    assert sizes[0] == 16
    assert max(sizes) == 100
    assert sum(sizes) == len(place.content)
    assert [offset for offset, _ in place.asked] == [sum(sizes[:n]) for n in range(len(sizes))]
    assert "nbprof-fetch" in place.threads


def test_a_look_at_both_ends_takes_two_small_requests() -> None:
    place = Somewhere(bytes(50 << 20))
    file = path_to(place).open()
    file.read(2)
    file.seek(0)
    file.read(1 << 16)
    file.seek((50 << 20) - (1 << 16))
    file.read(1 << 16)
    file.close()
    assert place.asked == [(0, 1 << 16), ((50 << 20) - (1 << 16), 1 << 16)]


def test_a_server_that_sends_less_than_asked_is_asked_again(small_blocks: None) -> None:
    class Stingy(Somewhere):
        def read_at(self, offset: int, size: int) -> bytes:
            return super().read_at(offset, min(size, 50))

    place = Stingy(bytes(range(256)) * 8)
    file = path_to(place).open()
    assert file.read(5000) == place.content
    file.close()


def test_a_file_that_is_shorter_than_it_says_ends_there() -> None:
    place = Somewhere(bytes(100))
    file = path_to(place).open()
    place.content = bytes(60)
    assert file.read(100) == bytes(60)
    assert file.read(1) == b""
    assert file.status() != file.opened


def test_closing_waits_for_nothing_and_pulls_nothing_away(small_blocks: None) -> None:
    class Stuck(Somewhere):
        go_on = threading.Event()
        closed = threading.Event()
        was_open = False

        def read_at(self, offset: int, size: int) -> bytes:
            if offset:
                self.go_on.wait(60)
                self.was_open = not self.closed.is_set()
            return super().read_at(offset, size)

        def close(self) -> None:
            self.closed.set()

    place = Stuck(bytes(1000))
    file = path_to(place).open()
    file.read(50)  # the next block is asked for
    file.close()
    assert not place.closed.is_set()  # as it would be if `close` had waited
    place.go_on.set()
    assert place.closed.wait(60)
    assert place.was_open


def test_without_threads_blocks_are_fetched_when_needed(
    small_blocks: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError

    monkeypatch.setattr(threading.Thread, "start", refuse)
    place = Somewhere(bytes(range(256)) * 8)
    file = path_to(place).open()
    assert b"".join(iter(lambda: file.read(50), b"")) == place.content
    file.close()
