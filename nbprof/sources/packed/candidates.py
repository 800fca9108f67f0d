"""`expanded`: finds the files of an archive that may be traces, like those of a directory."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from nbprof.defaults import options
from nbprof.sources.discovery.file_version import size_and_version
from nbprof.sources.discovery.naming import FileName
from nbprof.sources.packed.archives import members_of
from nbprof.sources.packed.names import archive_stem, is_archive_name
from nbprof.sources.recorders import RECORDERS, parse_name

if TYPE_CHECKING:
    from nbprof.sources.discovery.directories import Candidate
    from nbprof.sources.files.opening import AnyFile, AnyPath
    from nbprof.sources.packed.archives import Listed
    from nbprof.sources.packed.member import ArchiveMember

#: The pickle in every checkpoint of PyTorch, which is a zip archive.
_CHECKPOINT = "data.pkl"

_OF_SEVERAL = "it belongs to a directory of several files; extract the archive, and pass that"


def expanded(
    candidate: Candidate,
    packing: str,
    skipped: list[tuple[AnyFile | str, str]],
) -> list[Candidate]:
    """Return the files of an archive that may be traces by their names.

    An archive of one file is like a compressed file: its file is of the run that the archive lies
    in. Otherwise the archive and each directory in it are runs.

    Parameters
    ----------
    candidate : Candidate
        The archive.
    packing : str
        ``"zip"`` or ``"tar"``.
    skipped : list of (path, str)
        Receives the files that cannot be read, with the reason.
    """
    archive: Any = candidate.path  # only paths are probed as archives
    try:
        listed = _listed(archive, packing, size_and_version(candidate, listed=True))
    except OSError as error:
        skipped.append((archive, f"cannot be opened: {error.strerror or error}"))
        return []
    skipped += [(replace(one, archive=archive), reason) for one, reason in listed.refused]
    if listed.problem:
        skipped.append((archive, listed.problem))
    elif not listed.members and not listed.refused:
        skipped.append((archive, f"not a trace: not JSON, but a {packing} archive without any"))
    alone = len(listed.members) == 1 and not listed.refused
    members = [replace(one, archive=archive) for one in listed.members]
    return [_candidate(candidate, member, alone=alone) for member in members]


def _candidate(archive: Candidate, member: ArchiveMember, *, alone: bool) -> Candidate:
    """Return a file of an archive as a candidate, with its run."""
    name = parse_name(member.name) or FileName(member.stem, -1, expected=False)
    folder = PurePosixPath(member.inner).parent.as_posix()
    found = replace(archive, path=member, name=name)
    if not archive.home or (alone and folder == "."):
        # Named like a trace, the archive tells whose it is: rank3.json.gz may hold trace.json.
        own = is_archive_name(archive.path.name) or not alone
        return found if own else replace(found, name=archive.name)
    home = archive.path.absolute().as_posix()
    if folder == ".":
        return replace(found, run=archive_stem(archive.path.name), home=home)
    return replace(found, run=folder, home=f"{home}/{folder}")


def _listed(archive: AnyPath, packing: str, version: tuple[int, int]) -> Listed:
    limits = options.unpacked_bytes, options.unpacked_ratio
    look = _members if version[1] else _members.__wrapped__  # without a time, it may have changed
    return look(archive.absolute(), packing, version, limits, RECORDERS.names())


@lru_cache(maxsize=1024)
def _members(
    archive: AnyPath,
    packing: str,
    version: tuple[int, int],  # noqa: ARG001 - part of the key, as the others are
    limits: tuple[int, int],  # noqa: ARG001
    recorders: tuple[str, ...],  # noqa: ARG001
) -> Listed:
    listed = members_of(archive, packing, _may_be_trace)
    folders = [begin() for one in RECORDERS.specs() if (begin := one.folders) is not None]
    members, listed.members = listed.members, []
    for member in members:
        place: Any = PurePosixPath(member.inner)
        if any(one.takes(place) or one.is_unread(place) for one in folders):
            listed.refused.append((member, _OF_SEVERAL))
        else:
            listed.members.append(member)
    return listed


def _may_be_trace(inner: str) -> bool:
    """Return whether a file may be a trace by its path in an archive; hidden ones are none."""
    parts = inner.split("/")
    hidden = any(part.startswith((".", "__MACOSX")) and part != ".." for part in parts)
    return not hidden and parts[-1] != _CHECKPOINT and parse_name(parts[-1]) is not None
