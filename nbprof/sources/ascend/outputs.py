"""`Outputs`: collects the output directories of the Ascend profiler while a source is searched."""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from nbprof.sources.ascend import directories
from nbprof.sources.ascend.directories import SUFFIX, files_beside, parse_folder
from nbprof.sources.ascend.file_names import FORMAT, OUTPUT, kind_of
from nbprof.sources.ascend.profiler_info import rank_in_info_name
from nbprof.sources.discovery.directories import Candidate
from nbprof.sources.discovery.naming import FileName, absolute, base_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from nbprof.sources.discovery.directories import SearchRoot
    from nbprof.sources.files.opening import AnyPath


@dataclass
class _FoundOutput:
    path: AnyPath
    root: PurePath
    run: str | None
    rank: int | None
    files: dict[AnyPath, None] = field(default_factory=dict)
    beside: list[AnyPath] = field(default_factory=list)

    @property
    def holder(self) -> PurePath:
        """The directory whose name has the worker and span."""
        path = absolute(self.path) if isinstance(self.path, Path) else self.path.folder
        return path.parent if path.name == OUTPUT else path

    @property
    def recorded_rank(self) -> int | None:
        """The rank in the name of the info file beside it."""
        ranks = (rank_in_info_name(path.name) for path in self.beside)
        return next((rank for rank in ranks if rank is not None), None)

    @property
    def home(self) -> PurePath:
        """The directory of the run."""
        holder = self.holder
        above = holder.parent
        # Otherwise the searched directory is the holder itself, or inside it.
        named_above = above.is_relative_to(self.root) or holder.name.endswith(SUFFIX)
        return above if named_above else holder

    def run_name(self) -> str:
        """Return the run: the parent of the holder, relative to the searched directory."""
        if self.run is not None:
            return self.run
        home = self.home
        if home != self.root and home.is_relative_to(self.root):
            return Path(os.path.relpath(home, self.root)).as_posix()
        return base_name(home)


class Outputs:
    """Collects outputs, each once, with all requested files."""

    def __init__(self) -> None:
        self._found: dict[AnyPath, _FoundOutput] = {}
        self._beside: dict[AnyPath, list[AnyPath]] = {}

    def takes(self, path: AnyPath) -> bool:
        """Whether a file belongs to an output, by its name."""
        return kind_of(path.name) is not None

    def is_unread(self, path: AnyPath) -> bool:
        """Whether a path is inside a directory of the profiler but is not read."""
        return directories.is_unread(path)

    def add_file(self, path: AnyPath, search_root: SearchRoot) -> None:
        """Add the output of a file that was passed directly."""
        self._add(path.parent, [path], search_root)

    def look_through(
        self, folder: AnyPath, names: list[str], files: dict[str, AnyPath], search_root: SearchRoot
    ) -> tuple[Collection[str], str]:
        """Add the output in a directory; see `FolderSearch.look_through`."""
        own = folder.absolute().name if isinstance(folder, Path) else folder.name
        content = [files[file] for file in directories.content_of(own, list(files))]
        if descriptions := directories.description_files(list(files)):
            self._beside[folder.absolute()] = [files[file] for file in descriptions]
        if content:
            holder = folder.parent if own == OUTPUT else folder
            self._add(folder, content, search_root, self._beside.get(holder.absolute()))
        return directories.searched_folders(own, names, list(files))

    def _add(
        self,
        path: AnyPath,
        files: Sequence[AnyPath],
        search_root: SearchRoot,
        beside: Sequence[AnyPath] | None = None,
    ) -> None:
        """Add files of an output.

        Parameters
        ----------
        path : path
            The directory of the files.
        files : sequence of path
            The files.
        search_root : Asked
            The worker and rank given by the caller.
        beside : sequence of path, optional
            The files that describe how it was recorded; searched for by default.
        """
        known = path.absolute()
        if known not in self._found:
            self._found[known] = _FoundOutput(
                path, search_root.root, search_root.run, search_root.rank
            )
            descriptions = files_beside(path) if beside is None else list(beside)
            self._found[known].beside = descriptions
        self._found[known].files.update(dict.fromkeys(files))

    def __iter__(self) -> Iterator[Candidate]:
        """Iterate over the outputs."""
        outputs = list(self._found.values())
        names = _names([(one.run_name(), one) for one in outputs])
        for one, name in zip(outputs, names, strict=True):
            files = (*one.files, *one.beside)
            home = one.home.as_posix() if one.run is None else ""
            yield Candidate(one.path, one.run_name(), name, one.rank, files, home, FORMAT)


def _names(outputs: list[tuple[str, _FoundOutput]]) -> list[FileName]:
    """Return the worker and stamp of each; outputs with different ranks are different workers."""
    names = [parse_folder(one.holder.name) for _, one in outputs]
    ranks: dict[tuple[str, str], set[int | None]] = defaultdict(set)
    for (run, one), name in zip(outputs, names, strict=True):
        ranks[run, name.worker].add(one.recorded_rank)
    return [
        FileName(f"{name.worker}_rank{one.recorded_rank}", name.stamp, expected=name.expected)
        if len(ranks[run, name.worker]) > 1 and one.recorded_rank is not None
        else name
        for (run, one), name in zip(outputs, names, strict=True)
    ]
