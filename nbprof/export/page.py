"""`Page`: a self-contained HTML file with markup, scripts and data, and its content policy."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

from nbprof.export import scripts
from nbprof.model.errors import NbprofError
from nbprof.model.visible_text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

#: The export statement of the widget's bundle, which a page must not contain.
_EXPORT: Final = re.compile(r"export\s*\{\s*([\w$]+) as default\b[^}]*\};?\s*$")

#: Nothing is fetched, and only scripts with these hashes run. The widget uses style attributes for
#: layout; images are data URLs.
_POLICY: Final = (
    "default-src 'none'; script-src {scripts}; style-src 'unsafe-inline'; "
    "img-src data: blob:; base-uri 'none'; form-action 'none'"
)

#: Shown above the summary; the scripts remove both once the view is drawn.
_NO_SCRIPTS: Final = (
    "This is a summary only, because the scripts of this page did not run. The file may be "
    "truncated, or the program that shows it may not allow scripts."
)

#: The summary appears with a delay, so it is not seen if the scripts run.
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


class PageError(NbprofError, ValueError):
    """Raised when a page cannot be made; the message says why."""


@dataclass(frozen=True)
class Page:
    """The content of a page.

    Parameters
    ----------
    title : str
        Title of the page.
    subtitle : str
        Program and source.
    traits : mapping
        State of the view as plain values.
    saved : bytes
        Saved state, as written by `nbprof.widgets.saved.writer`.
    summary : str
        Markup shown if the scripts do not run; must be safe.
    theme : {"auto", "light", "dark"}
        Colours.
    libraries : tuple of str
        Scripts that run before all others, such as BokehJS.
    """

    title: str
    subtitle: str
    traits: Mapping[str, Any]
    saved: bytes
    summary: str = ""
    theme: str = "auto"
    libraries: tuple[str, ...] = ()

    def html(self) -> str:
        """Return the page as text, to be encoded as UTF-8.

        Raises
        ------
        PageError
            The scripts are missing from the installation.
        """
        views = tuple(dict.fromkeys(tab["script"] for tab in self.traits.get("tabs", ())))
        code = page_scripts(views)
        theme = "" if self.theme == "auto" else f' data-theme="{escape(self.theme)}"'
        with _installed():
            late = _late_scripts(views)
            run_later = tuple(scripts.script(name).decode() for name in late)
            packed = {name: base64.b64encode(scripts.compressed(name)).decode() for name in late}
        libraries = _checked_scripts(self.libraries)
        elements = "\n".join(f"<script>{text}</script>" for text in libraries)
        elements += "\n".join(f'<script type="module">{text}</script>' for text in code)
        traits = json.dumps(self.traits, allow_nan=False, separators=(",", ":"))
        data = base64.b64encode(self.saved).decode()
        rules = policy((*libraries, *code, *run_later))
        title = escape(
            printable(self.title)
        )  # bidirectional marks would reverse the rest of the line
        return f"""<!doctype html>
<html lang="en"{theme}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(rules)}">
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
<script type="application/json" id="nbprof-traits">{_script_safe(traits)}</script>
<script type="application/octet-stream" id="nbprof-saved">{data}</script>
<script type="application/json" id="nbprof-scripts">{json.dumps(packed)}</script>
{elements}
</body>
</html>
"""


def policy(scripts: tuple[str, ...]) -> str:
    """Return the content security policy of a page with these scripts."""
    hashes = (hashlib.sha256(text.encode()).digest() for text in scripts)
    words = (f"'sha256-{base64.b64encode(one).decode()}'" for one in hashes)
    return _POLICY.format(scripts=" ".join(words))


def _late_scripts(views: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the names of the scripts that a page packs, since they run late or never.

    Parameters
    ----------
    views : iterable of str
        Names of the scripts of its views.
    """
    seconds = (name for view in views for name in scripts.scripts_of_view(view) if name != view)
    return (scripts.PATTERNS, scripts.EXPORT, scripts.STACKS, scripts.SPREADS, *seconds)


def page_scripts(views: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the scripts that run when a page is opened, in their order.

    Parameters
    ----------
    views : iterable of str
        Names of the scripts of its views.

    Raises
    ------
    PageError
        The scripts are missing, or not those of this version.
    """
    with _installed():
        widget, page = (
            (scripts.STATIC / name).read_text("utf-8") for name in ("widget.js", "page.js")
        )
        named = (scripts.OFFLINE, scripts.PICKING, scripts.TOOLS, *views)
        others = [scripts.script(name).decode() for name in named]
    match = _EXPORT.search(widget)
    if match is None:
        place = scripts.STATIC / "widget.js"
        message = f"{place} is not the file that was built. Reinstall nbprof."
        raise PageError(message)
    widget = f"{widget[: match.start()]}globalThis.__nbprofWidget={match.group(1)};"
    return _checked_scripts((widget, *others, page))


def _checked_scripts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return scripts that can be embedded in a page.

    Raises
    ------
    PageError
        One of them would end its own element.
    """
    for text in texts:
        if "</script" in text.lower() or "<!--" in text:
            message = "A page script contains the end tag of its own element."
            raise PageError(message)
    return texts


@contextmanager
def _installed() -> Iterator[None]:
    try:
        yield
    except (OSError, scripts.ScriptError) as error:
        message = f"The scripts of pages are missing: {error}. Reinstall nbprof."
        raise PageError(message) from error


def _script_safe(text: str) -> str:
    """Return JSON that cannot end its script element."""
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
