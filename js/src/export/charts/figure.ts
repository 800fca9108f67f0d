/** Converts a Bokeh figure to SVG: draws it again, hidden, with Bokeh's SVG backend. */
import { drawFigure, loadBokeh } from "../../chart/bokeh";
import { figureOf, isTemplate } from "../../chart/template";
import type { Context } from "../../core/context";
import type { FigureItem, TemplateItem } from "../../core/protocol/protocol";

let drawings = 0;

/** @throws Error - the page forbids BokehJS, or it cannot paint SVG */
export async function drawAgain(
  { h, root, session }: Context,
  item: FigureItem | TemplateItem,
): Promise<SVGElement> {
  const bokeh = await loadBokeh(session.router, item.version ?? "");
  const figure = isTemplate(item) ? figureOf(item, `nbprof-export-${++drawings}-`) : item;
  // BokehJS measures as it draws, so it must be in the document; it inherits the theme of the widget.
  const target = h("div", { style: "position:absolute;visibility:hidden;left:0;top:0" });
  target.setAttribute("aria-hidden", "true");
  root.append(target);
  try {
    const drawn = await drawFigure(bokeh, asSvg(figure), target);
    try {
      const canvas = drawn.view?.export?.("svg", false).canvas;
      if (!(canvas instanceof SVGElement)) throw new Error("This Bokeh cannot draw SVG.");
      return canvas.cloneNode(true) as SVGElement;
    } finally {
      drawn.remove();
    }
  } finally {
    target.remove();
  }
}

interface Node {
  type?: string;
  name?: string;
  attributes?: Record<string, unknown>;
}

/** The same figure with the SVG backend in each of its plots. */
function asSvg(item: FigureItem): FigureItem {
  const doc = structuredClone(item.doc);
  const visit = (node: unknown): void => {
    if (node === null || typeof node !== "object") return;
    const { type, name, attributes } = node as Node;
    const isPlot = type === "object" && (name === "Figure" || name === "figure" || name === "Plot");
    if (isPlot && attributes) attributes.output_backend = "svg";
    for (const child of Object.values(node)) visit(child);
  };
  visit(doc);
  return { ...item, doc };
}
