"""Files that by their names may be traces: in directories, globs and lists."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from nbprof.model.errors import TraceNotFoundError
from nbprof.sources.ascend import folders as ascend
from nbprof.sources.ascend.outputs import Outputs
from nbprof.sources.ascend.parts import OUTPUT, kind_of
from nbprof.sources.discovery.naming import (
    HANDLERS,
    LONGEST_RANK,
    PATTERNS,
    FileName,
    absolute,
    base_name,
    parse_name,
)
from nbprof.sources.discovery.runs import told_apart
from nbprof.sources.files import remote_search, urls
from nbprof.sources.files.remote import RemotePath
from nbprof.sources.files.remote_search import RemoteTree

if TYPE_CHECKING:
    from nbprof.sources.files.opening import AnyPath

PathLike: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike]"

#: So many names are listed in a message.
_LISTED = 8


@dataclass(frozen=True)
class Candidate:
    """A file, or a directory of files, that by its name may be a trace.

    Attributes
    ----------
    rank : int or None
        What the caller says its rank is.
    parts : tuple of path
        The files, where they are several.
    home : str
        The directory that the run is; empty where the caller says what is one run.
    """

    path: AnyPath
    run: str
    name: FileName
    rank: int | None
    parts: tuple[AnyPath, ...] = ()
    home: str = ""


class _Asked(NamedTuple):
    """What is said of all that is found under a place: what runs are named from, rank and run."""

    root: PurePath
    rank: int | None
    run: str | None


@dataclass
class Search:
    """Collects candidates, and what was looked at on the way.

    Attributes
    ----------
    candidates : list of Candidate
        Each file once.
    unreadable : list of (path, str)
        Directories that could not be listed, and why.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[tuple[AnyPath | str, str]] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)
    _others: list[str] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)
    _refused: list[str] = field(default_factory=list)
    _known: set[AnyPath] = field(default_factory=set)
    _outputs: Outputs = field(default_factory=Outputs)
    _beside: dict[AnyPath, list[AnyPath]] = field(default_factory=dict)

    def run(self, source: Source) -> None:
        """Search a source of any kind."""
        if isinstance(source, Mapping):
            found = [(path, _rank(r)) for r, one in source.items() for path in self._resolve(one)]
            roots = _roots([path for path, _ in found])
            run = base_name(next(iter(roots.values()), Path.cwd()))
            for path, rank in found:
                self._search(path, roots[_where(path)], rank, run)
        else:
            listed = [source] if isinstance(source, (str, os.PathLike)) else source
            paths = [path for one in listed for path in self._resolve(one)]
            roots = _roots(paths)
            for path in paths:
                self._search(path, roots[_where(path)], None)
        for output in self._outputs:
            self._add_candidate(Candidate(*output))
        names = told_apart([(one.run, one.home) for one in self.candidates])
        self.candidates = [
            replace(one, run=name) for one, name in zip(self.candidates, names, strict=True)
        ]

    @property
    def looked_for(self) -> str:
        """Where and for what was searched, in words."""
        parts = []
        if self._places:
            parts.append(f"looked for {PATTERNS} in {_some(self._places)}")
        if self._missing:
            parts.append(f"there is nothing at {_some(self._missing)}")
        if self._others and not self.candidates:
            parts.append(f"found only {_some(self._others)}")
        elif self._places and not self.candidates:
            parts.append("found no files")
        return "; ".join(parts)

    def not_found(self) -> TraceNotFoundError:
        """Return the error that says that there is no candidate at all."""
        advice = (
            f"The current directory is {Path.cwd()}. A profile is written there with {HANDLERS}."
        )
        said = [self.looked_for or "the list of places to look in is empty"]
        said += self._refused[:_LISTED]
        return TraceNotFoundError(f"No trace found: {'; '.join(said)}. {advice}")

    def _resolve(self, one: PathLike) -> list[AnyPath]:
        """Return the paths behind one name: itself, or what a glob matches."""
        if urls.is_url(one):
            local = urls.local_path(str(one))
            return self._resolve_url(str(one)) if local is None else self._resolve(local)
        text = os.path.expanduser(os.fspath(one))  # noqa: PTH111 - may be a glob
        try:
            if Path(text).exists():
                return [Path(text)]
        except OSError as error:  # a directory that may not be entered, a name that is too long
            reason = error.strerror or str(error)
            self.unreadable.append((Path(text), f"cannot be opened: {reason}"))
            self._missing.append(f"{text} ({reason})")
            return []
        matches = [Path(match) for match in sorted(glob.glob(text, recursive=True))]  # noqa: PTH207
        if not matches:
            reason = "nothing matches" if glob.has_magic(text) else "there is no such file"
            self.unreadable.append((Path(text), reason))
            self._missing.append(text)
        self._others += [str(path) for path in matches if path.is_file()]
        return [path for path in matches if _may_be(path)]

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
        return [path for path in matches if alone or _may_be(path)]

    def _search(
        self, path: AnyPath, root: PurePath, rank: int | None, run: str | None = None
    ) -> None:
        if isinstance(path, RemotePath) and path.is_dir():
            self._list(path, root, rank, run)
        elif isinstance(path, Path) and path.is_dir():
            self._walk(path, root, rank, run)
        elif kind_of(path.name):
            self._outputs.add(path.parent, [path], root, run=run, rank=rank)
        else:
            name = parse_name(path.name) or FileName(path.stem, -1, expected=False)
            self._add(path, root, name, rank, run)

    def _list(self, top: RemotePath, root: PurePath, rank: int | None, run: str | None) -> None:
        """Search a directory elsewhere and all below, hidden ones not."""
        self._places.append(str(top))
        try:
            tree = RemoteTree(top)
        except OSError as error:
            self._refuse(top, f"cannot be listed: {error}")
            return
        for folder, names, files in tree.walk():
            self._look_through(folder, names, files, _Asked(root, rank, run))

    def _walk(self, top: Path, root: PurePath, rank: int | None, run: str | None) -> None:
        """Search a directory and all below, each real directory once, hidden ones not."""
        self._places.append(str(top))
        seen: set[tuple[int, int]] = set()
        for folder, names, files in os.walk(top, followlinks=True, onerror=self._note):
            try:
                stat = Path(folder).stat()
            except OSError as error:  # it went away meanwhile
                self._note(error)
                continue
            if (stat.st_dev, stat.st_ino) in seen:
                names.clear()
                continue
            seen.add((stat.st_dev, stat.st_ino))
            found: dict[str, AnyPath] = {file: Path(folder, file) for file in files}
            self._look_through(Path(folder), names, found, _Asked(root, rank, run))

    def _look_through(
        self,
        folder: AnyPath,
        names: list[str],
        files: dict[str, AnyPath],
        asked: _Asked,
    ) -> None:
        """Take what is in a directory; directories that need not be searched leave `names`."""
        names[:] = sorted(name for name in names if not name.startswith("."))
        shown = sorted(file for file in files if not file.startswith("."))
        own = folder.absolute().name if isinstance(folder, Path) else folder.name
        content = [files[file] for file in ascend.content_of(own, shown)]
        if told := ascend.told_beside(shown):
            self._beside[folder.absolute()] = [files[file] for file in told]
        if content:
            beside = self._beside.get(
                folder.parent.absolute() if own == OUTPUT else folder.absolute()
            )
            self._outputs.add(folder, content, **asked._asdict(), beside=beside)
        settled, reason = ascend.settle(own, names, shown)
        if reason:
            self._refuse(folder, reason)
        done = frozenset(settled)
        for file in sorted(files):
            name = parse_name(file)
            if name is None or file.startswith(".") or file in done:
                self._others.append(str(files[file]))
            else:
                self._add(files[file], asked.root, name, asked.rank, asked.run)

    def _note(self, error: OSError) -> None:
        self._refuse(Path(error.filename), f"cannot be listed: {error.strerror}")

    def _refuse(self, folder: AnyPath, reason: str) -> None:
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
        """Add one, each path once."""
        known = candidate.path.absolute()
        if known in self._known:
            return
        self._known.add(known)
        try:
            str(known).encode()
        except UnicodeEncodeError:
            shown = Path(os.fsencode(str(candidate.path)).decode("utf-8", "replace"))
            self.unreadable.append((shown, "its name is no valid text (UTF-8)"))
            return
        self.candidates.append(candidate)


def _may_be(path: AnyPath) -> bool:
    """Whether what a glob matches may be a trace, or a directory of some, by its name."""
    named = parse_name(path.name) is not None or kind_of(path.name) is not None
    return (path.is_dir() or named) and not ascend.is_unread(path)


def _rank(given: object) -> int:
    text = str(given)
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_RANK):
        message = f"A rank is a whole number from 0 on, not {given!r}."
        raise ValueError(message)
    return int(text)


def _roots(paths: Sequence[AnyPath]) -> dict[str, PurePath]:
    """Return what runs are named from, for this machine and every other place there are files on.

    A single directory is its own root. Of several, each is a run: the root is what holds them all.
    """
    if len(paths) == 1 and isinstance(paths[0], Path) and paths[0].is_dir():
        return {_where(paths[0]): absolute(paths[0])}
    folders: dict[str, list[PurePath]] = {}
    for path in paths:
        folders.setdefault(_where(path), []).append(_folder(path))
    return {where: type(found[0])(os.path.commonpath(found)) for where, found in folders.items()}


def _where(path: AnyPath) -> str:
    return "" if isinstance(path, Path) else "/".join(path.as_posix().split("/", 3)[:3])


def _folder(path: AnyPath) -> PurePath:
    """Return a directory itself, absolute, and of a file the one that it is in."""
    if isinstance(path, RemotePath):
        return path.folder
    return absolute(path) if path.is_dir() else absolute(path).parent


def _some(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
