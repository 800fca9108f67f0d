/** Reads the data columns of a Bokeh figure without BokehJS, for pages that forbid it. */

import type { FigureItem } from "../core/protocol/protocol";
import type { Source } from "./bokeh";

const ARRAYS: Record<string, new (buffer: ArrayBuffer) => ArrayLike<number>> = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

interface Named {
  name?: string;
  attributes?: { name?: unknown; data?: { entries?: [string, unknown][] } };
}

/** Find a data source by name in a figure that was not drawn; null if there is none. */
export function undrawnSource(item: FigureItem, name: string): Source | null {
  const found = find(item.doc, name);
  if (!found) return null;
  const entries = found.attributes?.data?.entries ?? [];
  const data = Object.fromEntries(entries.map(([column, values]) => [column, plain(values)]));
  const change = { connect: () => {} };
  return { name, data, selected: { indices: [], properties: { indices: { change } } } };
}

function find(node: unknown, name: string): Named | null {
  if (node === null || typeof node !== "object") return null;
  const named = node as Named;
  if (named.name === "ColumnDataSource" && named.attributes?.name === name) return named;
  for (const child of Object.values(node)) {
    const found = find(child, name);
    if (found) return found;
  }
  return null;
}

function plain(values: unknown): ArrayLike<unknown> {
  if (Array.isArray(values)) return values;
  const { array, dtype } = values as { array?: { data?: unknown }; dtype?: string };
  const make = ARRAYS[dtype ?? ""];
  if (!make || typeof array?.data !== "string") return [];
  const bytes = Uint8Array.from(atob(array.data), (letter) => letter.charCodeAt(0));
  return new make(bytes.buffer);
}
