"""Handler of ``sources``: finds files of call stacks below the root of the Jupyter server."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.widgets.requests.protocol import Reply, RequestError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from nbprof.widgets.session.session import Progress, Session

#: Environment variable with the path of the kernel's notebook.
_NOTEBOOK: Final = "JPY_SESSION_NAME"

#: Maximum number of files in a request.
MOST_FILES: Final = 1000


def sources(session: Session, params: Mapping[str, Any], progress: Progress) -> Reply:  # noqa: ARG001
    """Return the path of each file below the root of the server.

    Files that do not exist and files elsewhere are left out alike.
    """
    root, files = params.get("root"), params.get("files")
    if not isinstance(root, str) or not isinstance(files, list):
        message = "Source files need the root of the server and a list of files."
        raise RequestError(message)
    found = {}
    for file in files[:MOST_FILES] if _shares_files(root) else ():
        place = source_file(str(file), root)
        if place is not None:
            found[str(file)] = place
    return Reply({"files": found})


def _shares_files(root: str) -> bool:
    """Return whether the kernel sees the files of the server.

    A kernel may run on another machine or in a container. The server tells its kernels the path of
    the notebook that they belong to: then it is below `root` here, too.
    """
    notebook = os.environ.get(_NOTEBOOK, "")
    try:
        top = Path(root).expanduser().resolve(strict=True)
        return bool(notebook) and Path(notebook).resolve(strict=True).is_relative_to(top)
    except (OSError, RuntimeError, ValueError):
        return False


def source_file(file: str, root: str) -> str | None:
    """Return the path of a source file below `root`; None if there is none.

    Parameters
    ----------
    file : str
        As a frame names it. Recorders leave out the folder that Python found the file in, so a
        relative path is looked for in the working directory, in `root` and in the folders that
        Python imports from.
    root : str
        Folder of the server, which may begin with ``~``. Links that lead out of it are not
        followed.
    """
    try:
        top = Path(root).expanduser().resolve(strict=True)
        if not file.endswith(".py"):
            return None
        for place in _places(file, top):
            path = place.resolve()
            if path.is_relative_to(top) and path.is_file():
                return path.relative_to(top).as_posix()
    except (OSError, RuntimeError, ValueError):
        return None  # no such root or home, or a name that no file can have
    return None


def _places(file: str, top: Path) -> Iterator[Path]:
    if Path(file).is_absolute():
        yield Path(file)
        return
    yield Path.cwd() / file
    yield top / file
    for folder in sys.path:
        if folder:
            yield Path(folder) / file
