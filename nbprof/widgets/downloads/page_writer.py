"""`PageFile`: the method ``to_html`` of views, which writes a self-contained HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbprof import defaults
from nbprof.sources.output.target import Target
from nbprof.sources.output.writer import opened

if TYPE_CHECKING:
    import os


class PageFile:
    """Writes a view as an HTML file that needs no Python."""

    def to_html(
        self,
        path: str | os.PathLike[str],
        *,
        max_bytes: int | None = None,
        private: bool | None = None,
    ) -> Path:
        """Write what is shown as one page that needs neither Python nor a network.

        Its tables can be sorted, searched and grouped, and its timeline can be navigated. The steps
        and the name of the filter can be changed, and tables follow as far as they can be summed
        over steps; other filter fields are fixed. The page says what did not fit or needs Python.

        Parameters
        ----------
        path : path
            The file, which is replaced; compressed if it ends in ``.gz``.
        max_bytes : int, optional
            Maximum size; by default `nbprof.options.page_bytes`, 5 MB.
        private : bool, optional
            Whether the paths of Python frames are shortened to their package; by default as in the
            view. Files are named without the folders above the path that was passed in any case.

        Returns
        -------
        pathlib.Path
            The file.

        Raises
        ------
        PageError
            The size leaves no room.
        OSError
            It cannot be written there.
        """
        from nbprof.widgets.saved.page import page_html

        Target.of(path)  # find out before minutes are spent on the content
        view: Any = self
        most = defaults.options.page_bytes if max_bytes is None else max_bytes
        session = view._session.in_private() if private else view._session  # noqa: SLF001
        text = page_html(session, view._state(), view._plain_traits(), most)  # noqa: SLF001
        with opened(path) as file:
            file.write(text.encode())
        return Path(path)
