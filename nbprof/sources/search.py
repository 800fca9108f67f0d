"""Files that by their names may be traces: in directories, globs and lists."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, TypeAlias

from nbprof.model.errors import TraceNotFoundError
from nbprof.sources import remote_search, urls
from nbprof.sources.naming import LONGEST_RANK, PATTERNS, FileName, parse_name
from nbprof.sources.remote import RemotePath

if TYPE_CHECKING:
    from nbprof.sources.opening import AnyPath

PathLike: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "PathLike | Sequence[PathLike] | Mapping[int, PathLike]"

#: So many names are listed in a message.
_LISTED = 8


@dataclass(frozen=True)
class Candidate:
    """A file that by its name may be a trace.

    Attributes
    ----------
    rank : int or None
        What the caller says its rank is.
    """

    path: AnyPath
    run: str
    name: FileName
    rank: int | None


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
    _known: set[AnyPath] = field(default_factory=set)

    def run(self, source: Source) -> None:
        """Search a source of any kind."""
        if isinstance(source, Mapping):
            found = [(path, _rank(r)) for r, one in source.items() for path in self._resolve(one)]
            roots = _roots([path for path, _ in found])
            run = _base_name(next(iter(roots.values()), Path.cwd()))
            for path, rank in found:
                self._search(path, roots[_where(path)], rank, run)
        else:
            listed = [source] if isinstance(source, (str, os.PathLike)) else source
            paths = [path for one in listed for path in self._resolve(one)]
            roots = _roots(paths)
            for path in paths:
                self._search(path, roots[_where(path)], None)

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
            f"The current directory is {Path.cwd()}. A profile is written there with "
            "on_trace_ready=torch.profiler.tensorboard_trace_handler(directory) or "
            "prof.export_chrome_trace(path)."
        )
        looked_for = self.looked_for or "the list of places to look in is empty"
        return TraceNotFoundError(f"No trace found: {looked_for}. {advice}")

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
        return [path for path in matches if path.is_dir() or parse_name(path.name)]

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
        return [path for path in matches if alone or path.is_dir() or parse_name(path.name)]

    def _search(
        self, path: AnyPath, root: PurePath, rank: int | None, run: str | None = None
    ) -> None:
        if isinstance(path, RemotePath) and path.is_dir():
            self._list(path, root, rank, run)
        elif isinstance(path, Path) and path.is_dir():
            self._walk(path, root, rank, run)
        else:
            name = parse_name(path.name) or FileName(path.stem, -1, expected=False)
            self._add(path, root, name, rank, run)

    def _list(self, top: RemotePath, root: PurePath, rank: int | None, run: str | None) -> None:
        """Search a directory elsewhere and all below, hidden ones not."""
        self._places.append(str(top))
        try:
            files = top.below()
        except OSError as error:
            self.unreadable.append((top, f"cannot be listed: {error}"))
            return
        for path in sorted(files, key=str):
            relative = path.as_posix()[len(top.as_posix()) :]
            name = parse_name(path.name)
            if "/." in relative or name is None:
                self._others.append(str(path))
            else:
                self._add(path, root, name, rank, run)

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
            names[:] = sorted(name for name in names if not name.startswith("."))
            for file in sorted(files):
                name = parse_name(file)
                if name is None or file.startswith("."):
                    self._others.append(str(Path(folder, file)))
                else:
                    self._add(Path(folder, file), root, name, rank, run)

    def _note(self, error: OSError) -> None:
        self.unreadable.append((Path(error.filename), f"cannot be listed: {error.strerror}"))

    def _add(
        self, path: AnyPath, root: PurePath, name: FileName, rank: int | None, run: str | None
    ) -> None:
        known = path.absolute()
        if known in self._known:
            return
        self._known.add(known)
        try:
            str(known).encode()
        except UnicodeEncodeError:
            shown = Path(os.fsencode(str(path)).decode("utf-8", "replace"))
            self.unreadable.append((shown, "its name is no valid text (UTF-8)"))
            return
        if run is None:
            relative = os.path.relpath(_folder(path), root)
            run = _base_name(root) if relative == "." else Path(relative).as_posix()
        self.candidates.append(Candidate(path, run, name, rank))


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
        return {_where(paths[0]): paths[0]}
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
    return path.absolute() if path.is_dir() else path.absolute().parent


def _base_name(folder: PurePath) -> str:
    return (folder.resolve() if isinstance(folder, Path) else folder).name or str(folder)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
