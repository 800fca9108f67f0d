"""Finds the ranks in a file that several traces were merged into, and which processes each has.

Ids of launches, memory and devices repeat between ranks, so the events of a rank are those of its
processes. Tools that merge put a label before or behind every process (``[TP00] 5000``), or add a
number to it that is the larger the higher the rank.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from nbprof.model.trace import kinds
from nbprof.sources.discovery.naming import natural_key
from nbprof.sources.kineto import categories

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nbprof.sources.files.bytesource import ByteSource

_EVENT: Final = re.compile(
    rb'"cat"\s*:\s*"(\w{1,64})"[^{}]{0,2000}?"pid"\s*:\s*("(?:[^"\\]|\\.){1,200}"'
    rb"|-?\d{1,18}(?![\d.eE]))"
)
_LABELS: Final = (
    re.compile(r"(?P<label>.*\D)(?:\d{1,18})$", re.DOTALL),
    re.compile(r"\d{1,18}(?P<label>\D.*)$", re.DOTALL),
)
#: What the program itself does; runtimes make calls in processes of their own.
_PROGRAM: Final = frozenset({kinds.OPERATOR, kinds.ANNOTATION, kinds.PYTHON})
#: Bytes that are searched at a time, and how long an event is at most up to its process.
_PIECE: Final = 1 << 22
_LONGEST: Final = 1 << 12
#: Numbers that a rank adds to its processes are larger than this, and their steps agree so well.
_LEAST_OFFSET: Final = 1000
#: Least number of events of a rank, as a share of those of the rank with most.
_SHARE: Final = 0.2
_AGREEMENT: Final = 0.05


class MergedRank(NamedTuple):
    """One of several ranks in a file: its label, empty if they are told by numbers; processes."""

    label: str
    pids: tuple[str, ...]


class Processes:
    """The processes of the events in a text.

    Attributes
    ----------
    hosts, devices : Counter of str
        Number of slices of PyTorch on the host, and of device work, by process.
    """

    def __init__(self) -> None:
        self.hosts: Counter[str] = Counter()
        self.devices: Counter[str] = Counter()

    def add(self, text: bytes) -> None:
        """Add those in a part of a file."""
        for (category, pid), count in Counter(_EVENT.findall(text)).items():
            role = categories.role("X", category.decode())
            process = pid.strip(b'"').decode("utf-8", "replace")
            if categories.is_device(role):
                self.devices[process] += count
            elif role in _PROGRAM and not process.startswith("-"):
                self.hosts[process] += count

    @property
    def seem_merged(self) -> bool:
        """Whether there are several processes, or one with a label."""
        return len(self.hosts) > 1 or any(not pid.isdecimal() for pid in self.hosts)

    def ranks(self) -> list[MergedRank]:
        """Return the ranks, in order; none if there is one, or if they cannot be told apart.

        Ranks of a job do about the same: a process with few events is one whose number is damaged.
        """
        if min(self.hosts.values(), default=0) < _SHARE * max(self.hosts.values(), default=1):
            return []
        found = next(filter(None, map(self._by_label, _LABELS)), None) or self._by_offset()
        return found or []

    def _by_label(self, pattern: re.Pattern[str]) -> list[MergedRank]:
        groups: dict[str, list[str]] = {}
        for pid in (*self.hosts, *self.devices):
            match = pattern.match(pid)
            if match is None:
                return []
            groups.setdefault(match["label"], []).append(pid)
        if len(groups) < 2 or not all(self.hosts.keys() & pids for pids in groups.values()):
            return []
        return [
            MergedRank(label.strip(" []()_-:/|"), tuple(sorted(groups[label])))
            for label in sorted(groups, key=natural_key)
        ]

    def _by_offset(self) -> list[MergedRank]:
        every = (*self.hosts, *self.devices)
        if len(self.hosts) < 2 or len({*every}) < len(every) or not all(map(str.isdecimal, every)):
            return []
        hosts, devices = (sorted(map(int, pids)) for pids in (self.hosts, self.devices))
        for power in range(3, 16):
            groups: dict[int, list[int]] = {}
            for pid in {*hosts, *devices}:
                groups.setdefault(pid // 10**power, []).append(pid)
            if len(groups) > 1 and all(
                sum(pid in hosts for pid in pids) == 1
                and bool(devices) == any(pid in devices for pid in pids)
                for pids in groups.values()
            ):
                return _unlabelled(groups[key] for key in sorted(groups))
        if len(hosts) != len(devices) or any(
            of_devices < _LEAST_OFFSET or abs(of_hosts - of_devices) > _AGREEMENT * of_devices
            for of_hosts, of_devices in zip(_steps(hosts), _steps(devices), strict=True)
        ):
            return []
        return _unlabelled(zip(hosts, devices, strict=True))


def find_ranks(source: ByteSource) -> list[MergedRank]:
    """Return the ranks in a whole file, read from where it is."""
    found, text = Processes(), b""
    while piece := source.read(_PIECE):
        text += piece
        found.add(text)
        text = text[-_LONGEST:]
    return found.ranks()


def numbers_of(ranks: Sequence[MergedRank]) -> list[int]:
    """Return the number of each rank: the only one in its label, else its place in the file."""
    stated = [re.findall(r"\d{1,9}", rank.label) for rank in ranks]
    numbers = [int(one[0]) for one in stated if len(one) == 1]
    return numbers if len(set(numbers)) == len(ranks) else list(range(len(ranks)))


def _unlabelled(groups: Iterable[Iterable[int]]) -> list[MergedRank]:
    return [MergedRank("", tuple(map(str, pids))) for pids in groups]


def _steps(numbers: list[int]) -> list[int]:
    return [later - earlier for earlier, later in pairwise(numbers)]
