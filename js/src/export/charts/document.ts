/** Writes a chart as an SVG document in the theme on screen, with title, trace and filter above it. */
import type { Chart } from "../../chart/chart";
import type { Context } from "../../core/context";
import { baseline, captionHeight, captionOf, EDGE, inkOf } from "./caption";
import { drawAgain } from "./figure";
import { withStyles } from "./shapes";

const NS = "http://www.w3.org/2000/svg";

export interface SvgDocument {
  text: string;
  width: number;
  height: number;
}

/** @throws Error - there is nothing to draw, or BokehJS cannot draw it */
export async function chartSvg(ctx: Context, title: string, chart: Chart): Promise<SvgDocument> {
  const { shown } = chart;
  if (!shown) throw new Error("This chart is not on screen any more.");
  const drawn = shown instanceof Element ? withStyles(shown) : await drawAgain(ctx, shown);
  const [width, height] = sizeOf(drawn);
  const card = chart.el.closest("section")?.querySelector("h3")?.firstChild?.textContent ?? "";
  // Donuts have their title in the drawing.
  const named = drawn.textContent?.includes(title.split(",")[0] ?? title);
  const caption = captionOf(ctx, (named && card) || title);
  const top = captionHeight(caption);
  const ink = inkOf(ctx);
  const whole = { width: width + 2 * EDGE, height: top + height + EDGE };
  const svg = make("svg", { ...whole, viewBox: `0 0 ${whole.width} ${whole.height}` });
  svg.append(make("title", {}, title));
  svg.append(make("rect", { width: "100%", height: "100%", fill: ink.background }));
  [caption.title, ...caption.lines].forEach((text, line) => {
    const look = line
      ? { fill: ink.muted, "font-size": 11 }
      : { fill: ink.text, "font-size": 13, "font-weight": 600 };
    const place = { x: EDGE, y: baseline(line), "font-family": ink.font };
    svg.append(make("text", { ...place, ...look }, text));
  });
  for (const [name, value] of Object.entries({ x: EDGE, y: top, width, height }))
    drawn.setAttribute(name, String(value));
  svg.append(drawn);
  const xml = new XMLSerializer().serializeToString(svg);
  return { text: `<?xml version="1.0" encoding="UTF-8"?>\n${withoutControls(xml)}\n`, ...whole };
}

function make(tag: string, attributes: Record<string, string | number>, text = ""): SVGElement {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.textContent = text;
  return element;
}

function sizeOf(svg: Element): [width: number, height: number] {
  const size = (name: string) => Number.parseFloat(svg.getAttribute(name) ?? "") || 0;
  return [size("width"), size("height")];
}

/** Names of traces may hold characters that XML does not allow in any form. */
function withoutControls(xml: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is removed
  return xml.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}
