"""`StaticView`: a view as HTML and text, for where no kernel and no script runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, repr=False)
class StaticView:
    """A summary of a view, as the view was when this was made. Made by ``view.static()``.

    As the last expression of a cell it is drawn, and stays so: it is nothing but HTML, with its
    charts inside as images.

    Attributes
    ----------
    html : str
        At most 200 kB, with inline styles and without scripts; it asks no network for anything.
    text : str
        The same in words, for terminals and logs.
    """

    html: str
    text: str

    def __repr__(self) -> str:
        """Return the text: this is what terminals show."""
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return both forms, and no widget."""
        return {"text/html": self.html, "text/plain": self.text}
