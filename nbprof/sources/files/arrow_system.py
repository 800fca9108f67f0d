"""The file systems of `pyarrow.fs` as fsspec has them, with as few requests as they need."""

from __future__ import annotations

from typing import Any, ClassVar

from fsspec.implementations.arrow import ArrowFSWrapper


class ArrowSystem(ArrowFSWrapper):  # type: ignore[misc]
    """A file system of pyarrow.

    Parameters
    ----------
    fs : pyarrow.fs.FileSystem
        The file system.
    """

    #: fsspec would keep every one that was made, by where it lies in memory.
    cachable: ClassVar[bool] = False

    def find(self, path: str, *_: Any, detail: bool = False, **__: Any) -> Any:
        """Return the files below a directory, listed in one go; the base class asks for each one.

        Parameters
        ----------
        path : str
            The directory.
        detail : bool
            Whether to return what is known of the files by their names, in place of these.
        """
        from pyarrow.fs import FileSelector, FileType

        listed = self.fs.get_file_info(FileSelector(path, recursive=True))
        found = {one.path: self._make_entry(one) for one in listed if one.type == FileType.File}
        return found if detail else list(found)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Return the bytes of a range; the base class cannot, where the range begins at 0."""
        with self.fs.open_input_file(path) as file:
            first = start or 0
            content: bytes = file.read_at((file.size() if end is None else end) - first, first)
        return content
