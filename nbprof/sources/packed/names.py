"""Names of compressed files and archives, and how an archive is told by its content."""

from __future__ import annotations

import re
from typing import Final

_PACKED: Final = re.compile(r"\.(?:gz|gzip|xz|zst|zstd|bz2)$", re.IGNORECASE)
_ARCHIVE: Final = re.compile(r"\.(?:zip|tar|tgz|txz|tbz|tbz2|tzst|7z|rar)$", re.IGNORECASE)
_TAR: Final = re.compile(r"\.(?:tar|tgz|txz|tbz|tbz2|tzst)$", re.IGNORECASE)

_ZIP_STARTS: Final = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_TAR_MARK: Final = slice(257, 262)

#: Formats that are not read, by the first bytes of a file.
_UNREAD: Final = {
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!\x1a\x07": "a RAR archive",
    b"\x04\x22\x4d\x18": "compressed with lz4",
    b"\x5d\x00\x00": "compressed with lzma, the predecessor of xz",
    b"\x1f\x9d": "compressed with compress",
}


def unpacked_name(name: str) -> str:
    """Return the name of a file without the ending of a compression: ``a.json.xz`` is a.json."""
    return _PACKED.sub("", name)


def is_archive_name(name: str) -> bool:
    """Return whether a file is an archive by its name."""
    return _ARCHIVE.search(unpacked_name(name)) is not None


def archive_stem(name: str) -> str:
    """Return the name of an archive without its endings."""
    return _ARCHIVE.sub("", unpacked_name(name)) or name


def archive_by_content(start: bytes) -> str:
    """Return ``"zip"`` or ``"tar"`` by the first bytes of an unpacked file, or an empty text."""
    if start.startswith(_ZIP_STARTS):
        return "zip"
    return "tar" if start[_TAR_MARK] == b"ustar" else ""


def is_tar_name(name: str) -> bool:
    """Return whether a file is a tar archive by its name; the oldest have no mark."""
    return _TAR.search(unpacked_name(name)) is not None


def unread_format(start: bytes) -> str:
    """Return why a file of a format is not read that only other programs unpack, if it is one."""
    what = next((what for magic, what in _UNREAD.items() if start.startswith(magic)), "")
    if not what:
        return ""
    return f"it is {what}, which nbprof does not read. Unpack it, and pass the files"
