/** Draws the shapes of a drawing as SVG, in the colours of the theme. */
import type { FigureModel, Source } from "./bokeh";
import type { DrawingItem } from "./drawing";

const NS = "http://www.w3.org/2000/svg";

/** Draw the shapes; the result has the interface of a Bokeh figure. */
export function drawShapes({ drawing }: DrawingItem): { el: SVGSVGElement; model: FigureModel } {
  const { width, height, shapes } = drawing;
  const el = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  el.style.cssText = "display:block;font:11px var(--nbp-font);max-width:100%";
  for (const shape of shapes) {
    const one = element(shape.tag, shape.at);
    for (const [name, value] of Object.entries(shape.look ?? {})) {
      one.style.setProperty(name, value);
    }
    if (shape.text !== undefined) one.textContent = shape.text;
    if (shape.tip !== undefined) one.dataset.tip = shape.tip;
    el.append(one);
  }
  const renderers = Object.entries(drawing.sources).map(source);
  return { el: el as SVGSVGElement, model: { renderers } };
}

/** A data source for shapes. */
function source([name, data]: [string, Record<string, unknown[]>]): { data_source: Source } {
  const change = { connect: () => {} };
  return {
    data_source: { name, data, selected: { indices: [], properties: { indices: { change } } } },
  };
}

function element(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(NS, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
