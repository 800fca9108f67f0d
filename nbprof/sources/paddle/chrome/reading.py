"""Reads Paddle's Chrome JSON."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Final

from nbprof.sources.chrome.dictionaries import id_text
from nbprof.sources.chrome.windows import EventWindows
from nbprof.sources.discovery import header as headers
from nbprof.sources.paddle.assembly import Parts
from nbprof.sources.paddle.chrome.events import EventDecoder
from nbprof.sources.paddle.chrome.rows import JsonRows
from nbprof.sources.paddle.chrome.times import set_times
from nbprof.sources.paddle.header import SPAN_KEYS, header_metadata
from nbprof.sources.paddle.raw_columns import RawColumns

if TYPE_CHECKING:
    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.bytesource import ByteSource
    from nbprof.sources.progress import Reporter

_DEVICES: Final = "deviceProperties"
_EXTRA: Final = "ExtraInfo"
KNOWN: Final = ("schemaVersion", *SPAN_KEYS, _DEVICES, _EXTRA)


def read_json(source: ByteSource, defects: DefectLog, report: Reporter, window: int) -> Parts:
    """Read a file into columns.

    Parameters
    ----------
    source : ByteSource
        The file.
    defects : DefectLog
        Counts defects.
    report : Reporter
        Receives the progress.
    window : int
        Bytes of JSON that are decoded in one go.
    """
    raw = RawColumns(defects)
    windows = EventWindows(source, defects, window=window, decoder=EventDecoder)
    rows = JsonRows(raw)
    with windows.reading_ahead() if source.slow else nullcontext():
        for one in windows:
            rows.add(one)
            del one
            report.update(source.done)
    _store_metadata(raw, windows.header(KNOWN))
    parts = Parts(raw)
    set_times(parts)
    return parts


def _store_metadata(raw: RawColumns, header: headers.Header) -> None:
    """Store the header's metadata."""
    span = next((header[key] for key in SPAN_KEYS if key in header), 0)
    raw.header_metadata = header_metadata(header.get("schemaVersion"), span)
    extra = header.get(_EXTRA)
    if isinstance(extra, dict):
        raw.extra = {str(key): id_text(value) for key, value in extra.items()}
    raw.devices = headers.devices(header, raw.defects, multiprocessors="smCount")
