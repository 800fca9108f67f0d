/** Makes figures from Bokeh templates and data, and exchanges the data of a drawn figure in place. */

import type { FigureItem, TemplateItem } from "../core/protocol/protocol";
import type { FigureModel, Source } from "./bokeh";

type Columns = Record<string, unknown>;

interface Node {
  type?: string;
  name?: string;
  id?: string;
  attributes?: Record<string, unknown>;
}

/** A model of a drawn figure. */
interface Model {
  setv(attributes: Record<string, unknown>, options?: { silent: boolean }): void;
}

const ARRAYS: Record<string, new (buffer: ArrayBuffer) => ArrayLike<number>> = {
  float64: Float64Array,
  float32: Float32Array,
  int32: Int32Array,
  uint8: Uint8Array,
};

/** The figures that Python has sent, as JSON, by the id of their template. */
const templates = new Map<string, string>();

/** The id of the figure of each template. */
const roots = new Map<string, string>();

/** Parameters of a request for charts, with the templates that need not be sent again. */
export function withTemplates<T extends object>(params: T): T & { templates: string[] } {
  return { ...params, templates: [...templates.keys()] };
}

export function isTemplate(item: object): item is TemplateItem {
  return "template" in item;
}

/** Keep the template of an item for later items, which come without it. */
export function keepTemplate({ template, root }: TemplateItem): void {
  if (root !== undefined) templates.set(template, root);
}

/** Combine a template with its data to a figure in the form of `bokeh.embed.json_item`. */
export function figureOf(item: TemplateItem, prefix: string): FigureItem {
  const root = readRoot(item);
  const doc = { version: item.version, title: "", roots: [root] };
  visit(root, (node) => {
    const { id = "", attributes } = node;
    if (attributes) {
      Object.assign(attributes, item.settings[id]);
      const columns = item.columns[id];
      if (columns) attributes.data = { type: "map", entries: Object.entries(columns).map(plain) };
    }
    node.id = prefix + id;
  });
  return { doc, root_id: root.id ?? "", version: item.version };
}

function plain([name, values]: [string, unknown]): [string, unknown[]] {
  const list = Array.isArray(values) ? values : Array.from(decoded(values));
  return [name, list.map((one) => (lacksValue(one) ? NAN : one))];
}

/** Not a number, as Bokeh writes it as JSON. */
const NAN = { type: "number", value: "nan" };

function lacksValue(value: unknown): boolean {
  return typeof value === "number" && Number.isNaN(value);
}

/**
 * Exchange the data of a figure that was drawn from the same template; equal values stay.
 *
 * @param resized - called after a change of size, before the data is exchanged
 */
export function exchange(
  model: FigureModel,
  prefix: string,
  before: TemplateItem,
  after: TemplateItem,
  resized?: () => void,
): void {
  const modelOf = (id: string) => model.document?.get_model_by_id?.(prefix + id) as Model | null;
  const assign = (id: string) => {
    const settings = after.settings[id] ?? {};
    if (same(settings, before.settings[id])) return;
    const values = Object.entries(settings).map(([name, one]) => [name, specOf(one)]);
    modelOf(id)?.setv(Object.fromEntries(values));
  };
  // Size first: BokehJS paints at once after a change of size, when no glyph may be half updated.
  // Then the columns, because a glyph reads its columns again when one of its settings changes.
  const root = roots.get(after.template) ?? readRoot(after).id ?? "";
  roots.set(after.template, root);
  const size = ({ settings }: TemplateItem) => [settings[root]?.width, settings[root]?.height];
  const [width, height] = size(after);
  const [wide, high] = size(before);
  // It also lays the figure out for each of them, so the first of two is set without a word.
  if (width !== wide && height !== high) modelOf(root)?.setv({ width }, { silent: true });
  assign(root);
  if (width !== wide || height !== high) resized?.();
  for (const [id, columns] of Object.entries(after.columns)) {
    const source = modelOf(id) as (Model & Source) | null;
    if (source?.selected.indices.length) source.selected.indices = [];
    if (same(columns, before.columns[id])) continue;
    const data = Object.entries(columns).map(([name, values]) => [name, decoded(values)]);
    source?.setv({ data: Object.fromEntries(data) });
  }
  for (const id of Object.keys(after.settings)) if (id !== root) assign(id);
}

function same(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A property of a drawn model, from its form as JSON. */
function specOf(json: unknown): unknown {
  const value = json as { type?: string; value?: unknown } | null;
  return value && value.type === "value" ? { value: value.value } : json;
}

/** Find the data of a source by its name in a figure that cannot be drawn; null if there is none. */
export function undrawnData(item: TemplateItem, name: string): Source | null {
  let found: Columns | undefined;
  visit(readRoot(item), ({ name: kind, id = "", attributes }) => {
    if (kind === "ColumnDataSource" && attributes?.name === name) found ??= item.columns[id];
  });
  if (!found) return null;
  const data = Object.entries(found).map(([column, values]) => [column, decoded(values)]);
  const change = { connect: () => {} };
  const selected = { indices: [], properties: { indices: { change } } };
  return { name, data: Object.fromEntries(data), selected };
}

/** Numbers that JSON lacks, as Bokeh writes them. */
const ODD: Record<string, number> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  "-inf": Number.NEGATIVE_INFINITY,
};

/** A value of a list; lists of lists hold lines. */
function numberOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(numberOf);
  const odd = value as { type?: string; value?: string } | null;
  return odd?.type === "number" ? ODD[odd.value ?? ""] : value;
}

function readRoot(item: TemplateItem): Node {
  const text = item.root ?? templates.get(item.template);
  if (text === undefined) throw new Error("Its form was not sent.");
  return JSON.parse(text) as Node;
}

/** Visit every object with an id: models, and references to models. */
function visit(node: unknown, each: (node: Node) => void): void {
  if (node === null || typeof node !== "object") return;
  for (const child of Object.values(node)) visit(child, each);
  if (typeof (node as Node).id === "string") each(node as Node);
}

/** The values of a column; numbers come as bytes. */
function decoded(values: unknown): ArrayLike<unknown> {
  if (Array.isArray(values)) return values.map(numberOf);
  const { array, dtype } = values as { array?: { data?: unknown }; dtype?: string };
  const make = ARRAYS[dtype ?? ""];
  if (!make || typeof array?.data !== "string") return [];
  const bytes = Uint8Array.from(atob(array.data), (letter) => letter.charCodeAt(0));
  return new make(bytes.buffer);
}
