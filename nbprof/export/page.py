"""A page of one file: markup, scripts and data, and a policy that lets it run nothing else."""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import os
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from nbprof.export import scripts
from nbprof.export.text.table import printable
from nbprof.model.errors import NbprofError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

#: How the bundle of the widget hands out what it is; a page has nobody who imports it.
_EXPORT: Final = re.compile(r"export\s*\{\s*([\w$]+) as default\b[^}]*\};?\s*$")

#: Nothing is fetched, and of scripts only those with these hashes run. The widget lays out what it
#: shows by style attributes; images are drawn from data.
_POLICY: Final = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)

#: Stands over the summary, which the scripts take away once they have drawn the view.
_NO_SCRIPTS: Final = (
    "This is a summary only: the scripts of this page did not run. It may be broken off, or what"
    " shows it may allow none."
)

#: The summary appears late, so that nobody sees it where the scripts run.
_STYLE: Final = """\
:root{color-scheme:light dark}
:root[data-theme=light]{color-scheme:light}
:root[data-theme=dark]{color-scheme:dark}
body{margin:0;background:Canvas;color:CanvasText;
font:13px/1.45 system-ui,-apple-system,"Segoe UI",Helvetica,Arial,sans-serif}
header{padding:12px 16px 4px;display:flex;flex-wrap:wrap;gap:0 12px;align-items:baseline}
h1{font-size:15px;margin:0;overflow-wrap:anywhere}
header p{margin:0;opacity:.75;font-size:12px}
main{padding:8px 16px 24px}
#nbprof-summary{animation:nbprof-late 0s 2s both}
@keyframes nbprof-late{from{visibility:hidden}}
@media (max-width:600px){header{padding:8px 8px 0}main{padding:8px 0 16px}}
@media (prefers-color-scheme:dark){:root:not([data-theme=light]) body{background:#111;color:#eee}}
:root[data-theme=dark] body{background:#111;color:#eee}
:root[data-theme=light] body{background:#fff;color:#111}"""


def expect_place(path: str | os.PathLike[str]) -> Path:
    """Return a path where a file can be, before minutes are spent on what is to stand in it.

    Raises
    ------
    OSError
        There is a folder, or none to hold it.
    """
    place = Path(path)
    for code, wrong in ((errno.EISDIR, place.is_dir()), (errno.ENOENT, not place.parent.is_dir())):
        if wrong:
            raise OSError(code, os.strerror(code), str(place))
    return place


class PageError(NbprofError, ValueError):
    """A page cannot be made; the text says why."""


@dataclass(frozen=True)
class Page:
    """What stands on a page.

    Parameters
    ----------
    title : str
        What is shown.
    subtitle : str
        Who wrote it, and of what.
    traits : mapping
        State of the view, plain values.
    snapshot : bytes
        What `nbprof.widgets.kernelless.snapshot` writes.
    summary : str
        Markup for where the scripts do not run; must be safe as it is.
    theme : {"auto", "light", "dark"}
        Colours.
    """

    title: str
    subtitle: str
    traits: Mapping[str, Any]
    snapshot: bytes
    summary: str = ""
    theme: str = "auto"

    def html(self) -> str:
        """Return the page, UTF-8 once encoded.

        Raises
        ------
        PageError
            The package came without the scripts.
        """
        code = page_scripts(dict.fromkeys(tab["script"] for tab in self.traits.get("tabs", ())))
        theme = "" if self.theme == "auto" else f' data-theme="{escape(self.theme)}"'
        elements = "\n".join(f'<script type="module">{text}</script>' for text in code)
        traits = json.dumps(self.traits, allow_nan=False, separators=(",", ":"))
        data = base64.b64encode(self.snapshot).decode()
        title = escape(printable(self.title))  # marks of direction would turn the rest of the line
        return f"""<!doctype html>
<html lang="en"{theme}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy(code))}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>{title}</h1><p>{escape(self.subtitle)}</p></header>
<main>
<div id="nbprof-view"></div>
<div id="nbprof-summary"><p>{_NO_SCRIPTS}</p>{self.summary}</div>
</main>
<script type="application/json" id="nbprof-traits">{_inert(traits)}</script>
<script type="application/octet-stream" id="nbprof-snapshot">{data}</script>
{elements}
</body>
</html>
"""


def policy(scripts: tuple[str, ...]) -> str:
    """Return the policy of a page with these scripts, for its head or a server's."""
    hashes = (hashlib.sha256(text.encode()).digest() for text in scripts)
    words = (f"'sha256-{base64.b64encode(one).decode()}'" for one in hashes)
    return _POLICY.format(scripts=" ".join(words))


def page_scripts(views: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the scripts of a page in the order in which they run.

    Parameters
    ----------
    views : iterable of str
        The scripts of the views that it shows.

    Raises
    ------
    PageError
        The package came without them, or they are not those that this module knows.
    """
    try:
        widget, page = (
            (scripts.STATIC / name).read_text("utf-8") for name in ("widget.js", "page.js")
        )
        others = [scripts.script(name).decode() for name in (scripts.OFFLINE, *views)]
    except (OSError, scripts.ScriptError) as error:
        message = f"The scripts of pages are missing: {error}. Install nbprof again."
        raise PageError(message) from error
    found = _EXPORT.search(widget)
    if found is None:
        place = scripts.STATIC / "widget.js"
        message = f"{place} is not what it was built as. Install nbprof again."
        raise PageError(message)
    widget = f"{widget[: found.start()]}globalThis.__nbprofWidget={found.group(1)};"
    texts = (widget, *others, page)
    for text in texts:
        if "</script" in text.lower() or "<!--" in text:
            message = "A script of pages would end its own element."
            raise PageError(message)
    return texts


def _inert(text: str) -> str:
    """Return JSON that ends no element."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
