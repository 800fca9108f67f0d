/** Types of drawings: charts described as plain shapes, which are drawn as SVG without BokehJS. */

import type { Items } from "../core/protocol/messages";

export interface Shape {
  tag: "rect" | "path" | "line" | "text" | "circle";
  /** Position attributes, as in SVG. */
  at: Record<string, string | number>;
  /** Style properties, as in CSS; colours are tokens of the theme. */
  look?: Record<string, string>;
  text?: string;
  /** The text of the tooltip; its first line is the title. */
  tip?: string;
}

export interface Drawing {
  width: number;
  height: number;
  shapes: Shape[];
  /** The data columns of the shapes, by the name of their source. */
  sources: Record<string, Record<string, unknown[]>>;
  /** The positions of the bars or slices, for pointing and selecting. */
  items?: Items;
}

export interface DrawingItem {
  drawing: Drawing;
  /** The plot area of a memory chart, in which a range can be brushed. */
  plane?: unknown;
}
