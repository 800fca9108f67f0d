"""Files that by their names may be traces: in directories, globs and lists."""

from __future__ import annotations

import glob
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from nbprof.model.errors import TraceNotFoundError
from nbprof.sources.naming import LONGEST_RANK, PATTERNS, FileName, parse_name

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

    path: Path
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
    unreadable : list of (Path, str)
        Directories that could not be listed, and why.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[tuple[Path, str]] = field(default_factory=list)
    _places: list[str] = field(default_factory=list)
    _others: list[str] = field(default_factory=list)
    _missing: list[str] = field(default_factory=list)
    _known: set[str] = field(default_factory=set)

    def run(self, source: Source) -> None:
        """Search a source of any kind."""
        if isinstance(source, Mapping):
            found = [(path, _rank(r)) for r, one in source.items() for path in self._resolve(one)]
            folder = _common_folder([path for path, _ in found])
            for path, rank in found:
                self._search(path, folder, rank, run=_base_name(folder))
        else:
            listed = [source] if isinstance(source, (str, os.PathLike)) else source
            paths = [path for one in listed for path in self._resolve(one)]
            alone = len(paths) == 1 and paths[0].is_dir()
            root = paths[0] if alone else _common_folder(paths)
            for path in paths:
                self._search(path, root, None)

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

    def _resolve(self, one: PathLike) -> list[Path]:
        """Return the paths behind one name: itself, or what a glob matches."""
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

    def _search(self, path: Path, root: Path, rank: int | None, run: str | None = None) -> None:
        if path.is_dir():
            self._walk(path, root, rank, run)
        else:
            name = parse_name(path.name) or FileName(path.stem, -1, expected=False)
            self._add(path, root, name, rank, run)

    def _walk(self, top: Path, root: Path, rank: int | None, run: str | None) -> None:
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
        self, path: Path, root: Path, name: FileName, rank: int | None, run: str | None
    ) -> None:
        known = str(path.absolute())
        if known in self._known:
            return
        self._known.add(known)
        try:
            known.encode()
        except UnicodeEncodeError:
            shown = Path(os.fsencode(path).decode("utf-8", "replace"))
            self.unreadable.append((shown, "its name is no valid text (UTF-8)"))
            return
        if run is None:
            relative = os.path.relpath(path.parent, root)
            run = _base_name(root) if relative == "." else Path(relative).as_posix()
        self.candidates.append(Candidate(path, run, name, rank))


def _rank(given: object) -> int:
    text = str(given)
    if not (text.isascii() and text.isdecimal() and len(text) <= LONGEST_RANK):
        message = f"A rank is a whole number from 0 on, not {given!r}."
        raise ValueError(message)
    return int(text)


def _common_folder(paths: Sequence[Path]) -> Path:
    folders = [str(path.absolute() if path.is_dir() else path.absolute().parent) for path in paths]
    if not folders:
        return Path.cwd()
    # Directories that are searched are runs of their own: the root is what holds them all.
    return Path(os.path.commonpath(folders))


def _base_name(folder: Path) -> str:
    return folder.resolve().name or str(folder)


def _some(names: Sequence[str]) -> str:
    more = len(names) - _LISTED
    return ", ".join(names[:_LISTED]) + (f" and {more} more" if more > 0 else "")
