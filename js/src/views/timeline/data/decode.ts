/** Decodes Arrow replies into typed arrays, which are views of the reply's buffer, not copies. */
import { type ArrowColumn as Column, readTable, type Table } from "../../../values/arrow";
import type { Level, Minimap, RowItems, TrackItems } from "../state/types";
import type { Layout, WindowInfo } from "./messages";

type Numbers = Float64Array | Float32Array | Int32Array | Uint32Array | Uint8Array;

/** Read a reply to `slices`; without tracks where there is no second buffer. */
export function decodeLevel(
  info: WindowInfo,
  slices: Uint8Array,
  tracks: Uint8Array | undefined,
): Level {
  return {
    info,
    rows: readRows(slices),
    tracks: tracks?.length ? readTracks(tracks) : new Map(),
    matches: new Set(info.matches),
    dimmed: new Set(info.dimmed),
  };
}

/** Read buffer 0 of `timeline`. */
export function decodeMinimap(layout: Layout, bytes: Uint8Array): Minimap {
  const table = open(bytes);
  return {
    ...layout.minimap,
    band: whole(table, "band", Int32Array),
    column: whole(table, "column", Int32Array),
    category: whole(table, "category", Uint8Array),
    share: whole(table, "share", Float32Array),
  };
}

function readRows(bytes: Uint8Array): Map<number, RowItems> {
  const table = open(bytes);
  const rows = child(table, "row");
  const start = lists(table, "start", Float64Array);
  const width = lists(table, "width", Float64Array);
  const slice = lists(table, "slice", Int32Array);
  const name = lists(table, "name", Int32Array);
  const category = lists(table, "category", Uint8Array);
  const block = lists(table, "block", Uint32Array);
  const blockName = lists(table, "block_name", Int32Array);
  const count = lists(table, "count", Uint32Array);
  const busy = lists(table, "busy_ns", Float64Array);
  const found = new Map<number, RowItems>();
  for (let at = 0; at < table.numRows; at += 1) {
    const row = Number(rows.at(at));
    found.set(row, {
      row,
      start: start(at),
      width: width(at),
      slice: slice(at),
      name: name(at),
      category: category(at),
      block: block(at),
      block_name: blockName(at),
      count: count(at),
      busy_ns: busy(at),
    });
  }
  return found;
}

function readTracks(bytes: Uint8Array): Map<string, TrackItems> {
  const table = open(bytes);
  const keys = child(table, "key");
  const time = lists(table, "time", Float64Array);
  const first = lists(table, "first", Float64Array);
  const last = lists(table, "last", Float64Array);
  const low = lists(table, "low", Float64Array);
  const high = lists(table, "high", Float64Array);
  const tracks = new Map<string, TrackItems>();
  for (let at = 0; at < table.numRows; at += 1) {
    const key = String(keys.at(at));
    const items = { time: time(at), first: first(at), last: last(at) };
    tracks.set(key, { key, ...items, low: low(at), high: high(at) });
  }
  return tracks;
}

function open(bytes: Uint8Array): Table {
  // The bytes may start anywhere in a buffer; typed arrays need aligned memory.
  return readTable(bytes.byteOffset % 8 === 0 ? bytes : bytes.slice());
}

function child(table: Table, name: string): Column<unknown> {
  const column = table.getChild(name) as Column<unknown> | undefined;
  if (!column) throw new Error(`The timeline's reply has no column "${name}".`);
  return column;
}

type Maker<T extends Numbers> = new (length: number) => T;

/** Return a function that gives the list of a row, as a part of the array of all values. */
function lists<T extends Numbers>(table: Table, name: string, type: Maker<T>): (at: number) => T {
  const column = child(table, name);
  const none = new type(0);
  return (at) => checked(column.at(at) ?? none, name, type);
}

function whole<T extends Numbers>(table: Table, name: string, type: Maker<T>): T {
  const column = child(table, name);
  return table.numRows ? checked(column.toArray(), name, type) : new type(0);
}

/** Check the type of values: another one would be drawn wrongly or slowly without an error. */
function checked<T extends Numbers>(values: unknown, name: string, type: Maker<T>): T {
  if (values instanceof type) return values;
  const actual = (values as object).constructor.name;
  throw new Error(`"${name}" of the timeline's reply is a ${actual}, not a ${type.name}.`);
}
