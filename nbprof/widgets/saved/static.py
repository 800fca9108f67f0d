"""`StaticView`: a view as HTML and text that needs neither a kernel nor scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, repr=False)
class StaticView:
    """A summary of a view at the time of the call of ``view.static()``.

    As the last expression of a cell it is drawn. It is plain HTML that contains its charts as
    images.

    Attributes
    ----------
    html : str
        At most 200 kB, with inline styles, without scripts and network access.
    text : str
        The same as text, for terminals and logs.
    """

    html: str
    text: str

    def __repr__(self) -> str:
        """Return the text, which terminals show."""
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """Return both forms, and no widget."""
        return {"text/html": self.html, "text/plain": self.text}
