"""Types of the search for files: `Candidate`, `SearchRoot`, and `FolderSearch` for directories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from pathlib import PurePath

    from nbprof.sources.discovery.naming import FileName
    from nbprof.sources.files.opening import AnyFile, AnyPath


@dataclass(frozen=True)
class Candidate:
    """A file, or a directory of files, that by its name may be a trace.

    Attributes
    ----------
    rank : int or None
        The rank that the caller gave.
    parts : tuple of path
        The files of a directory with several.
    home : str
        The directory of the run; empty if the caller defines the run.
    recorder : str
        The recorder of a directory with several files.
    """

    path: AnyFile
    run: str
    name: FileName
    rank: int | None
    parts: tuple[AnyPath, ...] = ()
    home: str = ""
    recorder: str = ""


class SearchRoot(NamedTuple):
    """Properties of all files found under a path: base directory of run names, rank and run."""

    root: PurePath
    rank: int | None
    run: str | None


class FolderSearch(Protocol):
    """Collects the directories of one recorder while a source is searched."""

    def takes(self, path: AnyPath) -> bool:
        """Whether a file belongs to such a directory, by its name."""

    def is_unread(self, path: AnyPath) -> bool:
        """Whether a file or directory is in such a directory but is not read."""

    def add_file(self, path: AnyPath, search_root: SearchRoot) -> None:
        """Add the directory of a file that the user passed directly."""

    def look_through(
        self, folder: AnyPath, names: list[str], files: dict[str, AnyPath], search_root: SearchRoot
    ) -> tuple[Collection[str], str]:
        """Visit a directory.

        Parameters
        ----------
        folder : path
            The directory.
        names : list of str
            The directories in it; those that need not be searched are taken out.
        files : dict of str to path
            The files in it that are not hidden, by name.
        search_root : Asked
            Properties of all files found.

        Returns
        -------
        done : collection of str
            Names of files that need not be probed by other recorders.
        reason : str
            Why an output of the profiler cannot be read; empty otherwise.
        """

    def __iter__(self) -> Iterator[Candidate]:
        """Iterate over the directories that were found."""
