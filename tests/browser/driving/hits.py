"""Detects text of a trace that was run, or became markup, in a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

_COUNT = "window.nbprofHits = []; window.nbprofHit = () => { nbprofHits.push(new Error().stack); };"
_MADE = """() => {
  const deep = root => [...root.querySelectorAll('*')].flatMap(
    element => [element, ...(element.shadowRoot ? deep(element.shadowRoot) : [])]);
  const means = element => [...element.attributes].some(({name, value}) =>
    /^on|^srcdoc$|^href$/.test(name) && value.includes('nbprofHit'))
    || (element.matches('script') && /^[\\s<!-]*nbprofHit/.test(element.textContent));
  return deep(document).filter(means).map(element => element.outerHTML.slice(0, 200));
}"""


def watch(context: BrowserContext) -> None:
    """Count what is run, in every page and frame from now on."""
    context.add_init_script(_COUNT)


def hits(page: Page) -> list[str]:
    """List what was run, and the elements and attributes that texts have become."""
    found = [f"{frame.url}: {hit}" for frame in page.frames for hit in frame.evaluate("nbprofHits")]
    return found + [element for frame in page.frames for element in frame.evaluate(_MADE)]
