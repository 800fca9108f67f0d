"""Finds visual defects: clipped controls, horizontal scrolling, blank charts, poor access."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conftest import ROOT
from tests.support.programs.missing import missing

if TYPE_CHECKING:
    from playwright.sync_api import Locator

AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"

#: Every element under a root, shadow roots included.
_DEEP = """
const deep = root => [...root.querySelectorAll('*')].flatMap(
  element => [element, ...(element.shadowRoot ? deep(element.shadowRoot) : [])]);
const parent = element => element.parentElement ?? element.getRootNode().host ?? null;
"""

_MISFITS = (
    "root => {"
    + _DEEP
    + """
  const frame = root.getBoundingClientRect();
  const scrolls = element => {
    for (let up = parent(element); up && up !== root; up = parent(up)) {
      const style = getComputedStyle(up);
      if (/auto|scroll/.test(style.overflowX) && up.scrollWidth > up.clientWidth) return true;
    }
    return false;
  };
  const name = element => `${element.tagName.toLowerCase()}.${element.className} `
    + `"${(element.innerText || element.value || element.ariaLabel || '').slice(0, 40)}"`;
  const faults = [];
  for (const element of deep(root)) {
    if (!element.checkVisibility({visibilityProperty: true, opacityProperty: true})) continue;
    const box = element.getBoundingClientRect();
    const style = getComputedStyle(element);
    if (box.width <= 1 || box.height <= 1 || scrolls(element)) continue;
    const control = element.matches(
      'button, input, select, textarea, summary, a[href], [role=tab], [role=button]');
    if (box.right > frame.right + 1 || box.left < frame.left - 1) {
      if (control || element.matches('canvas, table, h1, h2, h3, p'))
        faults.push(`${name(element)} sticks out by ${Math.round(box.right - frame.right)} px`);
    } else if (control && style.display !== 'inline' && !element.matches('input, textarea')
        && element.scrollWidth > element.clientWidth + 1) {
      faults.push(`${name(element)} is cut by ${element.scrollWidth - element.clientWidth} px`);
    } else if (element.placeholder && !element.value) {
      const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight);
      const room = element.clientWidth - padding;
      const brush = document.createElement('canvas').getContext('2d');
      brush.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      const needed = brush.measureText(element.placeholder).width;
      if (needed > room + 1)
        faults.push(`"${element.placeholder}" is cut by ${Math.round(needed - room)} px`);
    }
  }
  for (let up = root; up; up = parent(up)) {
    const style = getComputedStyle(up);
    const page = up === document.documentElement || up === document.body;
    if (up.scrollWidth > up.clientWidth + 1 && (page || /auto|scroll/.test(style.overflowX)))
      faults.push(`${up.tagName} .${up.className} scrolls sideways: `
        + `${up.scrollWidth} in ${up.clientWidth} px`);
  }
  return faults;
}"""
)

_COLORS = (
    "root => {"
    + _DEEP
    + """
  const colors = canvas => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    const pixels = new Map();
    for (let i = 0; i < data.length; i += 4) {
      if (data[i + 3] < 255) continue;
      const color = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
      pixels.set(color, (pixels.get(color) ?? 0) + 1);
    }
    return [...pixels.values()].filter(count => count > 60).length;
  };
  // A chart lies on several canvases, one over the other.
  return deep(root).filter(figure => figure.matches('.nbp-figure') && figure.checkVisibility())
    .map(figure => Math.max(0, ...deep(figure).filter(element => element.tagName === 'CANVAS'
      && element.width && element.height).map(colors)));
}"""
)

_AXE = """async element => {
  const found = await window.axe.run(element, {resultTypes: ['violations']});
  return found.violations
    .filter(fault => ['serious', 'critical'].includes(fault.impact))
    .map(fault => `${fault.id}: ${fault.help}: `
      + fault.nodes.slice(0, 4)
        .map(node => `${node.html.slice(0, 160)} ${node.any[0]?.message ?? ''}`).join(' | '));
}"""


def misfits(widget: Locator) -> list[str]:
    """List the controls that are cut or stick out, and what scrolls the page sideways."""
    return widget.evaluate(_MISFITS)


def chart_colors(widget: Locator) -> list[int]:
    """Count the colours with more than a few pixels of every chart; a blank one has few."""
    return widget.evaluate(_COLORS)


def access_faults(widget: Locator) -> list[str]:
    """List what axe-core finds serious or critical; skipped where it is missing."""
    if not AXE.is_file():
        missing("no axe-core in js/node_modules: run npm ci in js/")
    page = widget.page
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE.read_text("utf-8"))
    faults: list[Any] = widget.evaluate(_AXE)
    return faults
