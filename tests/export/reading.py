"""Parses HTML as a sanitiser does: elements, attributes, styles and tables."""

from __future__ import annotations

from html.parser import HTMLParser

#: What the strictest readers of notebooks leave in place.
ELEMENTS = {"div", "span", "b", "br", "ul", "li", "img"}
ELEMENTS |= {"table", "thead", "tbody", "tr", "th", "td"}
ATTRIBUTES = {"style", "align", "title", "alt", "src", "width", "height", "scope"}
#: Styles that JupyterLab 4.2 knows and lets through.
STYLES = {
    "background",
    "border",
    "border-bottom",
    "border-collapse",
    "border-top",
    "color",
    "display",
    "font-size",
    "font-weight",
    "height",
    "line-height",
    "margin",
    "max-width",
    "min-width",
    "opacity",
    "overflow-wrap",
    "overflow-x",
    "padding",
    "table-layout",
    "text-align",
    "vertical-align",
    "white-space",
    "width",
    "word-break",
}
EMPTY = {"br", "img"}


class Reader(HTMLParser):
    """Reads a document and keeps what is in it; unbalanced elements are an error."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.styles: set[str] = set()
        self.images: list[dict[str, str | None]] = []
        self.tables: list[list[list[str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.elements.add(tag)
        self.attributes |= values.keys()
        self.styles |= {
            part.split(":")[0].strip() for part in (values.get("style") or "").split(";") if part
        }
        if tag not in EMPTY:
            self._open.append(tag)
        if tag == "img":
            self.images.append(values)
        elif tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in {"td", "th"}:
            self.tables[-1][-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if {"td", "th"} & set(self._open):
            self.tables[-1][-1][-1] += data
