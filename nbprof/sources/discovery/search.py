"""Searches directories, globs and lists for files that may be traces by their names."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias

from nbprof.model.errors import TraceNotFoundError
from nbprof.sources.discovery.directories import Candidate, SearchRoot
from nbprof.sources.discovery.local_tree import walk
from nbprof.sources.discovery.naming import (
    LONGEST_RANK,
    FileName,
    absolute,
    base_name,
)
from nbprof.sources.discovery.runs import distinct_run_names
from nbprof.sources.files import remote_search, urls
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.files.remote_search import RemoteTree
from nbprof.sources.live.live_source import LiveSource
from nbprof.sources.live.memory_file import MemoryFile
from nbprof.sources.recorders import RECORDERS, parse_name, patterns, written_by

if TYPE_CHECKING:
    from nbprof.sources.discovery.directories import FolderSearch
    from nbprof.sources.files.opening import AnyFile, AnyPath

PathLike: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike] | LiveSource"

#: All but the last of several ``**`` in a row; `glob` finds a file once per division of its path.
_REPEATED = re.compile(r"(?<![^/])(?:\*\*/+)+(?=\*\*(?:/|$))")

#: Maximum number of names that a message lists.
_LISTED = 8


@dataclass
class Search:
    """Collects candidates and the searched paths.

    Attributes
    ----------
    candidates : list of Candidate
        Each file once.
    unreadable : list of (path, str)
        Directories that could not be listed, with the reason.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[tuple[AnyFile | str, str]] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)
    _others: list[str] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _known: set[AnyFile] = field(default_factory=set)
    _folders: list[FolderSearch] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Create the folder searches of all recorders that write directories."""
        every = (recorder.folders for recorder in RECORDERS.specs())
        self._folders = [begin() for begin in every if begin is not None]

    def run(self, source: Source) -> None:
        """Search a source of any kind."""
        if isinstance(source, LiveSource):
            source = self._add_recorded(source)
        if isinstance(source, Mapping):
            found = [(path, _rank(r)) for r, one in source.items() for path in self._resolve(one)]
            roots = _roots([path for path, _ in found])
            run = base_name(next(iter(roots.values()), Path.cwd()))
            for path, rank in found:
                self._search(path, roots[_shown_path(path)], rank, run)
        else:
            listed = [source] if isinstance(source, (str, os.PathLike)) else source
            paths = [path for one in listed for path in self._resolve(one)]
            roots = _roots(paths)
            for path in paths:
                self._search(path, roots[_shown_path(path)], None)
        for folders in self._folders:
            for candidate in folders:
                self._add_candidate(candidate)
        names = distinct_run_names([(one.run, one.home) for one in self.candidates])
        self.candidates = [
            replace(one, run=name) for one, name in zip(self.candidates, names, strict=True)
        ]

    def _add_recorded(self, source: LiveSource) -> list[PathLike]:
        """Add the files in memory that an object recorded, and return the paths of others."""
        found = source.recorded()
        listed = [found] if isinstance(found, (str, os.PathLike, MemoryFile)) else list(found)
        for one in listed:
            if isinstance(one, MemoryFile):
                name = parse_name(one.name) or FileName(one.stem, -1, expected=False)
                self._add_candidate(Candidate(one, one.run, name, None))
        return [one for one in listed if not isinstance(one, MemoryFile)]

    @property
    def looked_for(self) -> str:
        """Description of the directories and names that were searched."""
        parts = []
        if self._places:
            parts.append(f"looked for {patterns()} in {_joined_names(self._places)}")
        if self._missing:
            parts.append(f"nothing exists at {_joined_names(self._missing)}")
        if self._others and not self.candidates:
            parts.append(f"found only {_joined_names(self._others)}")
        elif self._places and not self.candidates:
            parts.append("found no files")
        return "; ".join(parts)

    def not_found(self) -> TraceNotFoundError:
        """Return the error for a source without any candidate."""
        advice = (
            f"The current directory is {Path.cwd()}. "
            f"A profile is written there with {written_by()}."
        )
        said = [self.looked_for or "the list of paths is empty"]
        said += self._refused[:_LISTED]
        return TraceNotFoundError(f"No trace found: {'; '.join(said)}. {advice}")

    def _resolve(self, one: PathLike) -> list[AnyPath]:
        """Return the path itself, or the matches of a glob."""
        if urls.is_url(one):
            local = urls.local_path(str(one))
            return self._resolve_url(str(one)) if local is None else self._resolve(local)
        shown = urls.shown(os.fspath(one))
        text = os.path.expanduser(os.fspath(one))  # noqa: PTH111 - may be a glob
        try:
            if Path(text).exists():
                return [Path(text)]
        except OSError as error:  # a directory that may not be entered, a name that is too long
            reason = error.strerror or str(error)
            self.unreadable.append((Path(shown), f"cannot be opened: {reason}"))
            self._missing.append(f"{shown} ({reason})")
            return []
        pattern = _REPEATED.sub("", text)
        found = set(glob.glob(pattern, recursive=True))  # noqa: PTH207
        matches = [Path(match) for match in sorted(found)]
        if not matches:
            reason = "nothing matches" if glob.has_magic(text) else "there is no such file"
            self.unreadable.append((Path(shown), reason))
            self._missing.append(shown)
        self._others += [str(path) for path in matches if path.is_file()]
        return [path for path in matches if self._may_be_trace(path)]

    def _resolve_url(self, url: str) -> list[AnyPath]:
        try:
            matches = remote_search.find(url)
        except OSError as error:
            shown, reason = urls.shown(url), str(error)
            self.unreadable.append((shown, reason))
            absent = isinstance(error, FileNotFoundError)
            self._missing.append(shown if absent else f"{shown} ({reason})")
            return []
        self._others += [str(path) for path in matches if not path.is_dir()]
        alone = len(matches) == 1
        return [path for path in matches if alone or self._may_be_trace(path)]

    def _search(
        self, path: AnyPath, root: PurePath, rank: int | None, run: str | None = None
    ) -> None:
        if isinstance(path, RemotePath) and path.is_dir():
            self._list(path, root, rank, run)
        elif isinstance(path, Path) and path.is_dir():
            self._walk(path, root, rank, run)
        elif part_of := next((one for one in self._folders if one.takes(path)), None):
            part_of.add_file(path, SearchRoot(root, rank, run))
        else:
            name = parse_name(path.name) or FileName(path.stem, -1, expected=False)
            self._add(path, root, name, rank, run)

    def _list(self, top: RemotePath, root: PurePath, rank: int | None, run: str | None) -> None:
        """Search a remote directory and its subdirectories, except hidden ones."""
        self._places.append(str(top))
        try:
            tree = RemoteTree(top)
        except OSError as error:
            self._add_unreadable(top, f"cannot be listed: {error}")
            return
        for folder, names, files in tree.walk():
            self._visit(folder, names, files, SearchRoot(root, rank, run))

    def _walk(self, top: Path, root: PurePath, rank: int | None, run: str | None) -> None:
        """Search a directory and its subdirectories, each real one once, except hidden ones."""
        self._places.append(str(top))
        for folder, names, files in walk(top, self._add_unreadable):
            found: dict[str, AnyPath] = {file: folder / file for file in files}
            self._visit(folder, names, found, SearchRoot(root, rank, run))

    def _visit(
        self,
        folder: AnyPath,
        names: list[str],
        files: dict[str, AnyPath],
        search_root: SearchRoot,
    ) -> None:
        """Add the files of a directory; those that need no search leave `names`."""
        names[:] = sorted(name for name in names if not name.startswith("."))
        shown = sorted(file for file in files if not file.startswith("."))
        done: set[str] = set()
        for folders in self._folders:
            taken, reason = folders.look_through(
                folder, names, {file: files[file] for file in shown}, search_root
            )
            done.update(taken)
            if reason:
                self._add_unreadable(folder, reason)
        for file in sorted(files):
            name = parse_name(file)
            if name is None or file.startswith(".") or file in done:
                self._others.append(str(files[file]))
            else:
                self._add(files[file], search_root.root, name, search_root.rank, search_root.run)

    def _may_be_trace(self, path: AnyPath) -> bool:
        """Return whether a glob match may be a trace, or a directory of some, by its name."""
        named = parse_name(path.name) is not None or any(one.takes(path) for one in self._folders)
        unread = any(folders.is_unread(path) for folders in self._folders)
        return (path.is_dir() or named) and not unread

    def _add_unreadable(self, folder: AnyPath, reason: str) -> None:
        self.unreadable.append((folder, reason))
        self._refused.append(f"{folder}: {reason}")

    def _add(
        self, path: AnyPath, root: PurePath, name: FileName, rank: int | None, run: str | None
    ) -> None:
        home = ""
        if run is None:
            folder = _folder(path)
            home, relative = folder.as_posix(), os.path.relpath(folder, root)
            run = base_name(root) if relative == "." else Path(relative).as_posix()
        self._add_candidate(Candidate(path, run, name, rank, home=home))

    def _add_candidate(self, candidate: Candidate) -> None:
        """Add a candidate unless its path was added before."""
        known = candidate.path.absolute()
        if known in self._known:
            return
        self._known.add(known)
        try:
            str(known).encode()
        except UnicodeEncodeError:
            shown = Path(os.fsencode(str(candidate.path)).decode("utf-8", "replace"))
            self.unreadable.append((shown, "its name is not valid UTF-8"))
            return
        self.candidates.append(candidate)


def _rank(given: object) -> int:
    text = str(given)
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_RANK):
        message = f"A rank must be an integer >= 0, not {given!r}."
        raise ValueError(message)
    return int(text)


def _roots(paths: Sequence[AnyPath]) -> dict[str, PurePath]:
    """Return the base directory of run names for each file system.

    A single directory is its own root. Each of several is a run: the root is their common parent.
    """
    if len(paths) == 1 and isinstance(paths[0], Path) and paths[0].is_dir():
        return {_shown_path(paths[0]): absolute(paths[0])}
    folders: dict[str, list[PurePath]] = {}
    for path in paths:
        folders.setdefault(_shown_path(path), []).append(_folder(path))
    return {where: type(found[0])(os.path.commonpath(found)) for where, found in folders.items()}


def _shown_path(path: AnyPath) -> str:
    return "" if isinstance(path, Path) else "/".join(path.as_posix().split("/", 3)[:3])


def _folder(path: AnyPath) -> PurePath:
    """Return the absolute path of a directory, or of the directory of a file."""
    if isinstance(path, RemotePath):
        return path.folder
    return absolute(path) if path.is_dir() else absolute(path).parent


def _joined_names(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
