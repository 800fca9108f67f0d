"""`members_of`: lists the files of a zip or tar archive without extracting any."""

from __future__ import annotations

import errno
import io
import stat
import tarfile
import zipfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from nbprof.model.units import format_bytes
from nbprof.sources.files.bytesource import ByteSource
from nbprof.sources.limits.unpacking import over_budget, unpacking_budget
from nbprof.sources.packed.member import STORED, ArchiveMember
from nbprof.sources.packed.streams import ZIP_METHODS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from nbprof.sources.files.opening import AnyPath

#: Maximum number of files and directories in an archive that are looked at.
MOST_MEMBERS: Final = 10_000

#: Bytes of a compressed tar archive in which a first trace is looked for.
LOOKED_THROUGH: Final = 2 << 30

_NO_FILE: Final = "it is a link, a device or the like, and no regular file"
_ENCRYPTED: Final = 1
_UNIX: Final = 3

#: What the modules of archives raise for damaged ones.
_DAMAGE: Final = (
    zipfile.BadZipFile,
    tarfile.TarError,
    EOFError,
    LookupError,
    NotImplementedError,
    OverflowError,
    ValueError,
)


@dataclass
class Listed:
    """The files of an archive that may be traces by their names.

    Attributes
    ----------
    members : list of ArchiveMember
        Those that can be read.
    refused : list of (ArchiveMember, str)
        Those that cannot, with the reason.
    problem : str
        Why the archive could not be listed to its end; empty if it was.
    """

    members: list[ArchiveMember] = field(default_factory=list)
    refused: list[tuple[ArchiveMember, str]] = field(default_factory=list)
    problem: str = ""


def members_of(archive: AnyPath, packing: str, may_be_trace: Callable[[str], bool]) -> Listed:
    """List the files of an archive.

    Parameters
    ----------
    archive : Path or RemotePath
        The archive.
    packing : str
        ``"zip"`` or ``"tar"``, which may be compressed.
    may_be_trace : callable
        Returns whether a file is of interest, by its path in the archive.

    Raises
    ------
    OSError
        The archive cannot be opened.
    """
    listed = Listed()
    with ByteSource(archive) as source:
        found: dict[str, tuple[ArchiveMember, str]] = {}
        budget, room = (unpacking_budget(source.total),) * 2
        entries = _in_zip(archive, source) if packing == "zip" else _in_tar(archive, source)
        try:
            for number, (member, reason) in enumerate(entries):
                if number == MOST_MEMBERS:
                    listed.problem = f"only its first {MOST_MEMBERS:,} files are looked at"
                    break
                if may_be_trace(member.inner):  # the last of a name counts, as when extracted
                    found[member.inner] = member, reason
                elif source.packed and not found and source.position > LOOKED_THROUGH:
                    listed.problem = f"no trace is among its first {format_bytes(LOOKED_THROUGH)}"
                    break
        except _DAMAGE as error:
            listed.problem = f"the {packing} archive is damaged ({error}); copy it again"
        listed.problem = source.damage or listed.problem
        for member, reason in found.values():
            if room <= 0 and not reason:
                reason = over_budget(source.total, budget, packing)  # noqa: PLW2901
            if reason:
                listed.refused.append((member, reason))
            else:
                listed.members.append(member)
                room -= member.size
    return listed


def _in_zip(archive: AnyPath, source: ByteSource) -> Iterator[tuple[ArchiveMember, str]]:
    """Yield the files of a zip archive, each with the reason why it cannot be read."""
    with zipfile.ZipFile(_Seekable(source)) as opened:
        for info in opened.infolist():
            kind = stat.S_IFMT(info.external_attr >> 16) if info.create_system == _UNIX else 0
            if info.is_dir() or kind == stat.S_IFDIR:
                continue
            member = ArchiveMember(
                archive,
                info.filename,
                "zip",
                place=info.header_offset,
                size=info.file_size,
                packed=info.compress_size,
                version=source.stamp[1],
                method=info.compress_type,
                checksum=info.CRC,
            )
            reason = _NO_FILE if kind not in {0, stat.S_IFREG} else ""
            if info.flag_bits & _ENCRYPTED:
                reason = "it is encrypted; extract it with its password"
            elif info.compress_type not in {STORED, *ZIP_METHODS}:
                method = f"it is compressed by method {info.compress_type} of zip archives"
                reason = f"{method}; extract it, and pass the file"
            yield _named(member, reason)


def _in_tar(archive: AnyPath, source: ByteSource) -> Iterator[tuple[ArchiveMember, str]]:
    """Yield the files of a tar archive, each with the reason why it cannot be read."""
    with tarfile.open(fileobj=_Seekable(source), mode="r:") as opened:
        for info in opened:
            if info.isdir():
                continue
            member = ArchiveMember(
                archive,
                info.name,
                "tar",
                place=info.offset_data,
                size=info.size,
                packed=min(info.size, source.total),
                version=source.stamp[1],
            )
            reason = "" if info.isreg() else _NO_FILE
            if info.issparse():
                reason = "it is stored with holes; extract it, and pass the file"
            yield _named(member, reason)


def _named(member: ArchiveMember, reason: str) -> tuple[ArchiveMember, str]:
    """Return a file with its path below the archive; as when extracted, none is absolute."""
    parts = [part for part in member.inner.replace("\\", "/").split("/") if part not in {"", "."}]
    named = replace(member, inner="/".join(parts))
    if ".." in parts:
        reason = "its path leads out of the archive"
    try:
        named.inner.encode()
    except UnicodeEncodeError:
        shown = named.inner.encode("utf-8", "replace").decode()
        return replace(named, inner=shown), "its name is not valid UTF-8"
    return named, reason


class _Seekable(io.RawIOBase):
    """A file for the modules of archives; in a compressed one they only go forward."""

    def __init__(self, source: ByteSource) -> None:
        self._source = source

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._source.position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_CUR: self.tell(), io.SEEK_END: self._source.total}.get(whence, 0)
        if base + offset < 0:
            raise OSError(errno.EINVAL, "it ends too early")  # as files do, which zipfile expects
        self._source.skip_to(base + offset)
        return self.tell()

    def readinto(self, buffer: Any) -> int:
        piece = self._source.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)
