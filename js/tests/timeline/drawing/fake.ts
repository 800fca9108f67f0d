/** Scenes to draw, and a canvas that notes what is drawn on it; happy-dom has none. */

import { CATEGORIES, type Category } from "../../../src/canvas/categories";
import type { Palette } from "../../../src/canvas/palette";
import type { Lane } from "../../../src/views/timeline/data/messages";
import type { Level, Placed, RowItems, Scene } from "../../../src/views/timeline/state/types";

export interface Call {
  name: string;
  args: (number | string)[];
  fillStyle: string;
  strokeStyle: string;
  globalAlpha: number;
  lineWidth: number;
}

/** Every character is six pixels wide. */
export const CHARACTER = 6;

export function canvas(ratio = 1): {
  ctx: CanvasRenderingContext2D;
  calls: Call[];
  styles: string[];
} {
  const calls: Call[] = [];
  const styles: string[] = [];
  const state = { fillStyle: "", strokeStyle: "", globalAlpha: 1, lineWidth: 1 };
  const known: Record<string, unknown> = {
    getTransform: () => ({ a: ratio }),
    measureText: (text: string) => ({ width: text.length * CHARACTER }),
  };
  const ctx = new Proxy(state as Record<string, unknown>, {
    get: (target, name: string) => {
      if (name in known) return known[name];
      if (name in target) return target[name];
      return (...args: (number | string)[]) => calls.push({ name, args, ...state });
    },
    set: (target, name: string, value) => {
      if (name === "fillStyle") styles.push(value);
      target[name] = value;
      return true;
    },
  });
  return { ctx: ctx as unknown as CanvasRenderingContext2D, calls, styles };
}

export const PALETTE: Palette = {
  theme: "light",
  bg: "#ffffff",
  fg: "#212121",
  muted: "#5b5b5b",
  line: "#e0e0e0",
  lineStrong: "#8c8c8c",
  grid: "#ebebeb",
  subtle: "#f6f6f6",
  accent: "#1976d2",
  accentSoft: "#dfecf9",
  font: "11px sans-serif",
  categories: CATEGORIES.map((_, at) => `#0000${(at + 16).toString(16)}`),
  categoryInk: CATEGORIES.map(() => "#fffffe"),
  slots: Array.from({ length: 10 }, (_, at) => `#00${(at + 16).toString(16)}00`),
  slotInk: "#111111",
  kernels: ["#100000", "#110000", "#120000", "#130000"],
  curve: "#44546a",
};

export interface Entry {
  start: number;
  width: number;
  /** Without one, the entry is a block. */
  name?: number;
  slice?: number;
  category?: Category;
  count?: number;
  busy?: number;
  /** The name with the most time in a block. */
  blockName?: number;
}

export function rowOf(row: number, entries: Entry[]): RowItems {
  const blocks = entries.flatMap((entry, at) => (entry.name === undefined ? [at] : []));
  return {
    row,
    start: Float64Array.from(entries, (entry) => entry.start),
    width: Float64Array.from(entries, (entry) => entry.width),
    slice: Int32Array.from(entries, (entry, at) => entry.slice ?? 100 * row + at),
    name: Int32Array.from(entries, (entry) => entry.name ?? -1),
    category: Uint8Array.from(entries, (entry) => CATEGORIES.indexOf(entry.category ?? "operator")),
    block: Uint32Array.from(blocks),
    count: Uint32Array.from(blocks, (at) => entries[at]?.count ?? 2),
    block_name: Int32Array.from(blocks, (at) => entries[at]?.blockName ?? -1),
    busy_ns: Float64Array.from(blocks, (at) => entries[at]?.busy ?? 1),
  };
}

export const NAMES = [
  "aten::conv2d",
  "aten::add",
  "cudaLaunchKernel",
  "void at::native::relu<4>(int)",
];

export function levelOf(
  rows: Entry[][],
  options: Partial<Level["info"]> & { tracks?: Level["tracks"] } = {},
): Level {
  const { tracks = new Map(), ...rest } = options;
  const info = {
    start_ns: 0,
    end_ns: 1000,
    bin_ns: 1,
    group_by: "thread",
    rows: [[0, rows.length]] as [number, number][],
    names: NAMES,
    slots: NAMES.map((_, at) => at),
    shades: NAMES.map((_, at) => at % 4),
    matches: [],
    dimmed: [],
    ...rest,
  };
  return {
    info,
    rows: new Map(
      rows.flatMap((entries, row) => (entries.length ? [[row, rowOf(row, entries)]] : [])),
    ),
    tracks,
    matches: new Set(info.matches),
    dimmed: new Set(info.dimmed),
  };
}

export function laneOf(key: string, first_row: number, depths: number): Lane {
  const none = { detail: "", slices: 0, moved: 0, tid: null, device: null, stream: null };
  return { key, group: "g", label: key, kind: "thread", first_row, depths, ...none };
}

/** A group's band of 22 px, then lanes whose rows are 15 px on a pitch of 17, 4 px around them. */
export function place(...depths: number[]): Placed[] {
  const group = { key: "g", label: "g", detail: "" };
  const placed: Placed[] = [{ type: "group", group, y: 0, height: 22, collapsed: false }];
  let row = 0;
  let y = 22;
  for (const count of depths) {
    const lane = laneOf(`lane ${row}`, row, count);
    const height = count * 17 + 4;
    const size = { y, height, depths: count, rowHeight: 15, rowPitch: 17 };
    placed.push({ type: "lane", lane, ...size, collapsed: false });
    row += count;
    y += height;
  }
  return placed;
}

/** One nanosecond a pixel, unless said otherwise. */
export function sceneOf(options: Partial<Scene>): Scene {
  return {
    width: 1000,
    height: 400,
    view: { start_ns: 0, end_ns: 1000 },
    placed: place(2, 1),
    levels: [],
    palette: PALETTE,
    steps: [],
    hovered: null,
    selected: null,
    area: null,
    filtered: () => null,
    stepsOf: () => options.steps ?? [],
    dimmedCategories: new Set(),
    measure: null,
    arrows: [],
    flows: [],
    searching: false,
    ...options,
  };
}
