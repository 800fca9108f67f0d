"""`local_file`: a database as a local file, since SQLite opens no others."""

from __future__ import annotations

import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from nbprof.sources.files.trace_source import open_trace
from nbprof.sources.sqlite.state import is_database, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from nbprof.sources.defects import DefectLog
    from nbprof.sources.files.opening import AnyFile

_PIECE: Final = 1 << 23
_START: Final = 512


@contextmanager
def local_file(path: AnyFile, defects: DefectLog) -> Iterator[Path]:
    """Return a database as a local, uncompressed file.

    Remote and compressed databases are copied to a temporary file, which exists as long as the
    context.

    Parameters
    ----------
    path : Path, RemotePath or MemoryFile
        The file.
    defects : DefectLog
        Makes the errors.

    Raises
    ------
    TraceFormatError
        It is not a database, or is incomplete.
    """
    with open_trace(path, progress=False) as (source, _):
        text = source.read(_START)
        if not is_database(text):
            reason = "it is not a SQLite database"
            raise defects.failure(reason)
        if isinstance(path, Path) and not source.packed:
            if reason := problem_of(path, text, source.total):
                raise defects.failure(reason)
            yield path
            return
        with tempfile.TemporaryDirectory(prefix="nbprof-") as folder:
            copy = Path(folder) / "copy.sqlite"
            with copy.open("wb") as file:
                file.write(text)
                while piece := source.read(_PIECE):
                    file.write(piece)
            if source.changed:
                raise defects.changed()
            if reason := source.damage or problem_of(copy, text, copy.stat().st_size):
                raise defects.failure(reason)
            yield copy
