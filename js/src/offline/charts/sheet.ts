/** `Sheet`: collects shapes and texts into a drawing; CSS px, y grows downwards. */
import type { Drawing, Shape } from "../../chart/drawing";
import type { Items } from "../../core/protocol/messages";

export const SMALL = 11;
/** The opacity of a muted shape. */
export const MUTED = 0.3;

export const INK = {
  foreground: "var(--nbp-fg)",
  muted: "var(--nbp-muted)",
  background: "var(--nbp-bg)",
  line: "var(--nbp-line-strong)",
  grid: "var(--nbp-grid)",
} as const;

interface TextLook {
  align?: "start" | "middle" | "end";
  color?: string;
  bold?: boolean;
  size?: number;
  /** Whether it has a line of its own above the drawing. */
  over?: boolean;
}

export class Sheet {
  readonly shapes: Shape[] = [];
  readonly sources: Record<string, Record<string, unknown[]>> = {};
  items: Items | undefined;

  constructor(
    readonly width: number,
    readonly height: number,
  ) {}

  add(shape: Shape): void {
    this.shapes.push(shape);
  }

  line(points: readonly (readonly [number, number])[], color: string, more = {}): void {
    const d = points.map(([x, y], at) => `${at ? "L" : "M"}${round(x)} ${round(y)}`).join("");
    this.add({ tag: "path", at: { d }, look: { fill: "none", stroke: color, ...more } });
  }

  text(x: number, y: number, text: string, look: TextLook = {}): void {
    const { align = "start", color = INK.muted, bold = false, size = SMALL, over = false } = look;
    this.add({
      tag: "text",
      at: { x: round(x), y: round(y) },
      text,
      look: {
        fill: color,
        "text-anchor": align,
        "dominant-baseline": "central",
        "font-size": `${size}px`,
        "pointer-events": "none",
        ...(bold && { "font-weight": "600" }),
        ...(over && {
          stroke: INK.background,
          "stroke-width": "4px",
          "stroke-linejoin": "round",
          "paint-order": "stroke",
        }),
      },
    });
  }

  /** Mute the shapes below boxes, each given by left, top, width and height. */
  veil(boxes: readonly (readonly [number, number, number, number])[]): void {
    const d = boxes.map(
      ([x, y, w, h]) => `M${round(x)} ${round(y)}h${round(w)}v${round(h)}h${-round(w)}Z`,
    );
    if (!d.length) return;
    const look = { fill: INK.background, "fill-opacity": `${1 - MUTED}`, "pointer-events": "none" };
    this.add({ tag: "path", at: { d: d.join("") }, look });
  }

  drawing(): Drawing {
    const { width, height, shapes, sources, items } = this;
    return { width, height, shapes, sources, ...(items && { items }) };
  }
}

/** Round to hundredths of a pixel, which keeps the SVG short. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** A path of diagonal lines over a rectangle, which mark idle time independent of colour. */
export function hatching(left: number, top: number, width: number, height: number): string {
  const pitch = 8;
  const parts: string[] = [];
  // x + y is constant along a line, and is on a grid that all rectangles share.
  const first = Math.ceil((left + top) / pitch) * pitch;
  for (let sum = first; sum < left + width + top + height; sum += pitch) {
    const [x1, x2] = [Math.max(left, sum - top - height), Math.min(left + width, sum - top)];
    if (x2 > x1) parts.push(`M${round(x1)} ${round(sum - x1)}L${round(x2)} ${round(sum - x2)}`);
  }
  return parts.join("");
}
