"""Writes Paddle profiles as its recorder writes protobuf."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from nbprof.sources.paddle.event_types import MEMORY, NAMES
from tests.support.recordings.paddle.runs import PID

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.recordings.paddle.runs import Call, Node, Recording, Work


def number(value: int) -> bytes:
    """Return a number as protobuf writes it."""
    value &= (1 << 64) - 1
    found = b""
    while value > 0x7F:
        found += bytes([value & 0x7F | 0x80])
        value >>= 7
    return found + bytes([value])


def message(*fields: tuple[int, Any]) -> bytes:
    """Return a message of numbered fields: numbers, floats, texts, or messages as bytes."""
    found = []
    for key, value in fields:
        if isinstance(value, float):
            found += [number(key << 3 | 5), struct.pack("<f", value)]
        elif isinstance(value, int):
            found += [number(key << 3), number(value)]
        else:
            content = value.encode() if isinstance(value, str) else value
            found += [number(key << 3 | 2), number(len(content)), content]
    return b"".join(found)


def to_protobuf(recording: Recording) -> bytes:
    """Write a recording as protobuf."""
    trees = []
    for tid in recording.threads:
        nodes = [
            message((1, at), (2, at - 1), *_node(node, tid, at))
            for at, node in enumerate(recording.levels(tid))
        ]
        trees.append(message((1, tid), *((2, node) for node in nodes)))
    keys = ("id", "name", "totalGlobalMem", "computeMajor", "computeMinor")
    devices = [
        message(*enumerate((one[key] for key in keys), start=1), (13, one["smCount"]))
        for one in recording.devices
    ]
    return message(
        (1, "1.0.2"),
        (2, recording.span),
        *((3, tree) for tree in trees),
        *((4, message((1, key), (2, value))) for key, value in recording.extra.items()),
        *((5, device) for device in devices),
    )


def _node(node: Node, tid: int, at: int) -> Iterator[tuple[int, bytes]]:
    type_ = NAMES.index(node.type)
    where = (PID, tid) if at else (0, 0)
    times = enumerate((node.start, node.end, *where), start=3)
    yield 3, message((1, node.name), (2, type_), *times)
    for call in node.calls:
        times = enumerate((call.start, call.end, PID, tid, call.correlation, 0), start=2)
        works = [(2, message((1, _work(one, call)))) for one in call.work]
        yield 4, message((1, message((1, call.name), *times)), *works)
    for one in node.memory:
        kind = MEMORY.index(one.kind)
        before = enumerate((one.time, kind, one.address, PID, tid, one.change), start=1)
        after = enumerate(one.totals, start=8)
        yield 5, message((1, message(*before, (7, one.place), *after)))
    if node.shapes:
        shapes = [
            (2, message(*((1, message(*((1, size) for size in shape))) for shape in of_argument)))
            for of_argument in node.shapes.values()
        ]
        types = [(2, message(*((1, one) for one in kinds))) for kinds in node.types.values()]
        keys = [(1, key) for key in node.shapes]
        said = (5, message(*keys, *shapes)), (6, message(*keys, *types)), (7, node.stack)
        yield 6, message((1, message((1, node.start), (2, node.name), (3, PID), (4, tid), *said)))


def _work(work: Work, call: Call) -> bytes:
    found = work.detail
    if work.type == "Kernel":
        sizes = (*found["block"], *found["grid"], *found["shared"], found["registers"])
        floats = (float(found[key]) for key in ("blocks", "warps", "occupancy"))
        zeros = ((key, 0) for key in range(10, 15))
        detail = 9, message(*enumerate(sizes, 1), *zeros, *enumerate(floats, 15))
    elif work.type == "Memcpy":
        detail = 10, message((1, found["bytes"]), (2, "HtoD"), (3, "Pageable"), (4, "Device"))
    else:
        detail = 11, message((1, found["bytes"]), (2, "Device"), (3, 0))
    plain = (NAMES.index(work.type), work.start, work.end, work.device, 1, work.stream)
    return message((1, work.name), *enumerate(plain, 2), (8, call.correlation), detail)
