/** Draws charts that are described as shapes as SVG, in the colours of the theme. */
import type { FigureModel, Source } from "./bokeh";
import type { DrawingItem, Strip } from "./drawing";

const NS = "http://www.w3.org/2000/svg";
/** A shorter movement is a click, CSS px. */
const DRAG = 4;

/** Draw the shapes; the result has the interface of a Bokeh figure, so selections are followed alike. */
export function drawShapes({ drawing }: DrawingItem): { el: SVGSVGElement; model: FigureModel } {
  const { width, height, shapes, strip } = drawing;
  const el = element("svg", { width, height, viewBox: `0 0 ${width} ${height}` });
  el.style.cssText = "display:block;font:11px var(--nbp-font);max-width:100%";
  const sources = new Map(Object.entries(drawing.sources).map(([n, data]) => [n, source(n, data)]));
  for (const shape of shapes) {
    const one = element(shape.tag, shape.at);
    for (const [name, value] of Object.entries(shape.look ?? {})) {
      one.style.setProperty(name, value);
    }
    if (shape.text !== undefined) one.textContent = shape.text;
    if (shape.tip !== undefined) one.dataset.tip = shape.tip;
    const [name, row] = shape.row ?? ["", 0];
    const picked = sources.get(name);
    if (picked) {
      one.style.cursor = "pointer";
      one.addEventListener("click", () => picked.pick([row]));
    }
    el.append(one);
  }
  const along = strip && sources.get(strip.source);
  if (along) brush(el, strip, along.pick);
  const renderers = [...sources.values()].map(({ source: data_source }) => ({ data_source }));
  return { el: el as SVGSVGElement, model: { renderers } };
}

/** A data source for shapes, with a selection that can be observed. */
function source(name: string, data: Record<string, unknown[]>) {
  const slots: (() => void)[] = [];
  const change = { connect: (slot: () => void) => void slots.push(slot) };
  const selected = { indices: [] as number[], properties: { indices: { change } } };
  const made: Source = { name, data, selected };
  const pick = (indices: number[]) => {
    selected.indices = indices;
    for (const slot of slots) slot();
  };
  return { source: made, pick };
}

/** Make rows clickable and brushable. */
function brush(el: SVGElement, strip: Strip, pick: (rows: number[]) => void): void {
  const range = element("rect", { y: 0, height: "100%" });
  range.style.cssText =
    "fill:var(--nbp-accent);fill-opacity:.14;stroke:var(--nbp-accent);pointer-events:none";
  const right = strip.left + strip.slot * strip.count;
  let from: number | null = null;
  const at = (event: PointerEvent) => {
    const box = el.getBoundingClientRect();
    return event.clientX - box.left;
  };
  const rowAt = (x: number) =>
    Math.min(strip.count - 1, Math.max(0, Math.floor((x - strip.left) / strip.slot)));
  el.addEventListener("pointerdown", (event) => {
    const x = at(event);
    if (event.button !== 0 || x < strip.left || x > right) return;
    from = x;
    el.setPointerCapture?.(event.pointerId);
    event.preventDefault();
  });
  el.addEventListener("pointermove", (event) => {
    if (from === null) return;
    const [low, high] = ordered(from, at(event));
    if (high - low < DRAG) return range.remove();
    const [start, end] = [Math.max(low, strip.left), Math.min(high, right)];
    range.setAttribute("x", String(start));
    range.setAttribute("width", String(Math.max(0, end - start)));
    el.append(range);
  });
  el.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [low, high] = ordered(from, at(event));
    from = null;
    range.remove();
    const [first, last] = [rowAt(low), rowAt(high)];
    pick(Array.from({ length: last - first + 1 }, (_, index) => first + index));
  });
  el.addEventListener("pointercancel", () => {
    from = null;
    range.remove();
  });
}

function ordered(a: number, b: number): [number, number] {
  return a <= b ? [a, b] : [b, a];
}

function element(tag: string, attributes: Record<string, string | number>): SVGElement {
  const made = document.createElementNS(NS, tag) as SVGElement;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  return made;
}
