/** Types of charts described as plain shapes, which are drawn as SVG without BokehJS. */

export interface Shape {
  tag: "rect" | "path" | "line" | "text" | "circle";
  /** Position attributes, as in SVG. */
  at: Record<string, string | number>;
  /** Style properties, as in CSS; colours are tokens of the theme. */
  look?: Record<string, string>;
  text?: string;
  /** The text of the tooltip; its first line is the title. */
  tip?: string;
  /** The row of a source that a click selects. */
  row?: [source: string, row: number];
}

/** Adjacent rows of a source that can be clicked and brushed; CSS px. */
export interface Strip {
  source: string;
  left: number;
  slot: number;
  count: number;
}

export interface Drawing {
  width: number;
  height: number;
  shapes: Shape[];
  /** The data columns of the shapes, by the name of their source. */
  sources: Record<string, Record<string, unknown[]>>;
  strip?: Strip;
}

export interface DrawingItem {
  drawing: Drawing;
  /** The plot area of a memory chart, in which a range can be brushed. */
  plane?: unknown;
}
