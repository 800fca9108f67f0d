"""Reads Paddle's protobuf: trees of host nodes by thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from nbprof.model.trace import kinds
from nbprof.sources.chrome.columns import as_small
from nbprof.sources.limits.gpus import gpu_row
from nbprof.sources.paddle.assembly import Parts
from nbprof.sources.paddle.header import header_metadata
from nbprof.sources.paddle.protobuf.messages import Messages
from nbprof.sources.paddle.protobuf.rows import ProtoRows
from nbprof.sources.paddle.protobuf.wire import PADDING, Text
from nbprof.sources.paddle.raw_columns import RawColumns

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.bytesource import ByteSource
    from nbprof.sources.progress import Reporter

#: Bytes per read.
_PIECE: Final = 4 << 20

#: Host nodes converted at once.
_NODES: Final = 1 << 17


def read_protobuf(source: ByteSource, defects: DefectLog, report: Reporter) -> Parts:
    """Read a file into columns.

    Parameters
    ----------
    source : ByteSource
        The file.
    defects : DefectLog
        Counts defects.
    report : Reporter
        Receives the progress.
    """
    text = Text(_content(source, report))
    raw = RawColumns(defects)
    top = Messages.read(text, text.whole())
    raw.header_metadata = header_metadata(
        next(top.texts(1)).decode("utf-8", "replace"), int(top.numbers(2)[0])
    )
    _, trees = top.each(3)
    _, nodes = Messages.read(text, trees).each(2)
    rows = ProtoRows(raw)
    half = source.total // 2
    for first in range(0, len(nodes), _NODES):
        rows.add(text, nodes.of(slice(first, first + _NODES)))
        report.update(half + half * first // len(nodes))
    report.update(source.total)
    _, extra = top.each(4)
    said = Messages.read(text, extra)
    for key, value in zip(said.texts(1), said.texts(2), strict=True):
        raw.extra[key.decode("utf-8", "replace")] = value.decode("utf-8", "replace")
    _, properties = top.each(5)
    raw.devices = devices(Messages.read(text, properties), defects)
    _note(text, source, defects)
    parts = Parts(raw)
    starts = parts.host.join("start_ns")
    is_call = parts.host.join("kind") == kinds.RUNTIME
    times = parts.memory.join("time_ns")
    known = (starts[~is_call], starts, times, parts.device.join("start_ns"))
    raw.base_ns = next((int(one.min()) for one in known if len(one)), 0)
    for column in (starts, parts.device.join("start_ns"), times):
        np.subtract(column, raw.base_ns, out=column)
    return parts


def _content(source: ByteSource, report: Reporter) -> bytearray:
    """Read the whole file, followed by zeros."""
    content = bytearray()
    while piece := source.read(_PIECE):
        content += piece
        report.update(source.done // 2)  # the other half of the progress is decoding
    content += bytes(PADDING)
    return content


def devices(properties: Messages, defects: DefectLog) -> list[dict[str, Any]]:
    """Return rows of the table of devices."""
    columns = [properties.numbers(number).tolist() for number in (1, 3, 4, 5, 13)]
    names = [name.decode("utf-8", "replace") for name in properties.texts(2)]
    found = {}
    for at, (device, memory, major, minor, multiprocessors) in enumerate(
        zip(*columns, strict=True)
    ):
        number = as_small(device if device >= 0 else at)
        found[number] = gpu_row(
            number,
            names[at],
            defects,
            memory_bytes=memory,
            compute_major=major,
            compute_minor=minor,
            multiprocessors=multiprocessors,
        )
    return [found[number] for number in sorted(found)]


def _note(text: Text, source: ByteSource, defects: DefectLog) -> None:
    """Count the defects of a file."""
    if source.damage:
        defects.note(f"damaged {source.packing}", 1, source.damage)
    if text.cut:
        defects.note("cut off", 1, "the file ends inside a message")
    for kind, count in text.defects.items():
        defects.note(kind, count, "what follows in its message is left out")
