"""`ArrowSystem`: a file system of `pyarrow.fs` behind fsspec's interface, with few requests."""

from __future__ import annotations

from typing import Any, ClassVar

from fsspec.implementations.arrow import ArrowFSWrapper


class ArrowSystem(ArrowFSWrapper):  # type: ignore[misc]
    """An fsspec file system on top of one of pyarrow.

    Parameters
    ----------
    fs : pyarrow.fs.FileSystem
        The file system.
    """

    #: Otherwise fsspec would keep every instance, by the address of `fs`.
    cachable: ClassVar[bool] = False

    def find(self, path: str, *_: Any, detail: bool = False, **__: Any) -> Any:
        """Return the files below a directory in one request; the base class makes many.

        Parameters
        ----------
        path : str
            The directory.
        detail : bool
            Whether to return a mapping of names to file information instead of the names.
        """
        from pyarrow.fs import FileSelector, FileType

        listed = self.fs.get_file_info(FileSelector(path, recursive=True))
        entries = {one.path: self._make_entry(one) for one in listed if one.type == FileType.File}
        return entries if detail else list(entries)

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **_: Any
    ) -> bytes:
        """Return the bytes of a range; the base class fails for ranges that begin at 0."""
        with self.fs.open_input_file(path) as file:
            first = start or 0
            content: bytes = file.read_at((file.size() if end is None else end) - first, first)
        return content
