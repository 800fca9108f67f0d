/** Copies an SVG drawing with its computed styles as attributes, so that it needs no style sheet. */

/** The CSS properties that nbprof's drawings use. */
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-width",
  "stroke-opacity",
  "stroke-dasharray",
  "stroke-linejoin",
  "stroke-linecap",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "dominant-baseline",
  "paint-order",
  "visibility",
];

export function withStyles(drawn: SVGElement): SVGElement {
  const copy = drawn.cloneNode(true) as SVGElement;
  const [from, to] = [drawn, copy].map((root) => [root, ...root.querySelectorAll("*")]);
  from?.forEach((element, at) => {
    const target = to?.[at] as SVGElement | undefined;
    if (!target) return;
    const style = getComputedStyle(element);
    target.removeAttribute("style");
    for (const name of [...target.getAttributeNames()])
      if (name.startsWith("data-") || name === "class") target.removeAttribute(name);
    for (const name of STYLES) {
      const value = style.getPropertyValue(name);
      if (value) target.setAttribute(name, value);
    }
  });
  return copy;
}
