/**
 * The page of benchmarks/browser/timeline_draw.py: draws frames of many slices with the widget's code.
 *
 * A frame holds as many slices as asked for, whatever the zoom. As in a window of a real trace, some
 * rows are full to the brim, two slices a pixel column, which is the most that a reply holds, and the
 * others have slices with labels. Numbers are drawn from a generator with a fixed seed.
 */
import { readPalette } from "../src/canvas/palette";
import type { Lane } from "../src/core/protocol/messages";
import type { Theme } from "../src/core/theme";
import tokens from "../src/styles/tokens.css";
import { paintLanes } from "../src/views/timeline/drawing/paint";
import type { Level, PlacedLane, RowItems, Scene, View } from "../src/views/timeline/state/types";

type Side = "host" | "stream";

interface Options {
  slices: number;
  frames: number;
  /** CSS pixels. */
  width: number;
  span_ns: number;
  ratio: number;
  theme: Theme;
  searching: boolean;
  raster?: boolean;
}

const ROWS = { host: 18, stream: 6 };
const LANE = {
  host: { depths: 6, pitch: 17, height: 15 },
  stream: { depths: 1, pitch: 18, height: 18 },
};
const CODES = { host: [0, 0, 0, 0, 1, 1, 2, 6], stream: [7, 7, 7, 7, 7, 8, 9, 10] };
const NAMES = 400;
/** Slices in a row with labels, on average this many pixels long. */
const LABELLED = 50;

function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lengths that differ by up to so many powers of ten. */
function lengths(slices: number, random: () => number): Float64Array {
  const spread = slices > 1000 ? 1 : 0.5 + random();
  return Float64Array.from({ length: slices }, () => 10 ** (spread * random()));
}

/** How many slices each row has, mixed through the lanes. */
function sizes(slices: number, width: number): number[] {
  const rows = ROWS.host + ROWS.stream;
  const few = Math.round(width / LABELLED);
  const full = 2 * width;
  const left = Math.max(0, slices - rows * few);
  const dense = Math.min(rows, Math.ceil(left / (full - few)));
  const more = dense ? left / dense : 0;
  return Array.from({ length: rows }, (_, row) => {
    const before = Math.floor((row * dense) / rows);
    const isDense = Math.floor(((row + 1) * dense) / rows) > before;
    const extra = Math.floor(more * (before + 1)) - Math.floor(more * before);
    return few + (isDense ? extra : 0);
  });
}

function makeRow(
  row: number,
  side: Side,
  slices: number,
  view: View,
  random: () => number,
  blocks: boolean,
): RowItems {
  const span = view.end_ns - view.start_ns;
  const weights = lengths(slices, random);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const start = new Float64Array(slices);
  const width = new Float64Array(slices);
  const name = new Int32Array(slices);
  const category = new Uint8Array(slices);
  const codes = CODES[side];
  const block: number[] = [];
  let time = view.start_ns;
  for (let at = 0; at < slices; at += 1) {
    const room = ((weights[at] as number) / total) * span;
    start[at] = time;
    width[at] = room * (0.7 + 0.3 * random());
    category[at] = codes[Math.floor(random() * codes.length)] as number;
    name[at] = Math.floor(random() * NAMES);
    // What is thinner than two pixels is a block of several, as a reply has it.
    if (blocks && room < (2 * span) / 1000) {
      name[at] = -1;
      block.push(at);
    }
    time += room;
  }
  return {
    row,
    start,
    width,
    slice: Int32Array.from({ length: slices }, (_, at) => row * slices + at),
    name,
    category,
    block: Uint32Array.from(block),
    count: Uint32Array.from(block, () => 2 + Math.floor(50 * random())),
    block_name: Int32Array.from(block, () => Math.floor(random() * NAMES)),
    busy_ns: Float64Array.from(block, (at) => (width[at] as number) * random()),
  };
}

function laneOf(row: number, side: Side): Lane {
  const key = `lane ${row}`;
  const group = side === "host" ? "process:1" : "device:0";
  const kind = side === "host" ? "thread" : "stream";
  const none = { detail: "", slices: 0, moved: 0, tid: null, device: null, stream: null };
  return { key, group, label: key, kind, first_row: row, depths: LANE[side].depths, ...none };
}

function element<T extends Element>(selector: string): T {
  return document.querySelector(selector) as T;
}

function makeScene({ slices, width, span_ns, searching, theme }: Options): Scene {
  const random = generator(7);
  const view = { start_ns: 1e12, end_ns: 1e12 + span_ns };
  const total = ROWS.host + ROWS.stream;
  const rows = new Map<number, RowItems>();
  const counts = sizes(slices, width);
  for (let row = 0; row < total; row += 1) {
    const side = row < ROWS.host ? "host" : "stream";
    rows.set(row, makeRow(row, side, counts[row] ?? 0, view, random, span_ns > 1e6));
  }
  const placed: PlacedLane[] = [];
  let y = 0;
  for (let row = 0; row < total; ) {
    const side = row < ROWS.host ? "host" : "stream";
    const { depths, pitch, height } = LANE[side];
    const tall = depths * pitch + 4;
    placed.push({
      type: "lane",
      lane: laneOf(row, side),
      y,
      height: tall,
      depths,
      rowHeight: height,
      rowPitch: pitch,
      collapsed: false,
    });
    y += tall;
    row += depths;
  }
  const names = Array.from(
    { length: NAMES },
    (_, at) => `aten::operator_${at.toString(36)}_of_model`,
  );
  const numbers = (most: number) => names.map((_, at) => at % most);
  const every = names.map((_, at) => at).filter((at) => at % 10 === 0);
  const info: Level["info"] = {
    ...view,
    bin_ns: 1,
    group_by: "thread",
    rows: [[0, total]],
    names,
    slots: numbers(10),
    shades: numbers(4),
    matches: every,
    dimmed: [],
  };
  const level: Level = {
    info,
    rows,
    tracks: new Map(),
    matches: new Set(every),
    dimmed: new Set(),
  };
  const root = element<HTMLElement>(".nbp");
  root.dataset.theme = theme;
  const reference = { slice: 0, row: 0, ...view };
  const middle = view.start_ns + span_ns / 2;
  const steps = [{ step: 1, start_ns: middle, end_ns: view.end_ns, device: null }];
  return {
    width,
    height: y,
    view,
    placed,
    levels: [level],
    palette: readPalette(root, theme),
    steps,
    stepsOf: () => steps,
    hovered: reference,
    selected: { ...reference, row: 20 },
    area: { start_ns: view.start_ns, end_ns: middle, lanes: [] },
    filtered: () => null,
    dimmedCategories: new Set(),
    measure: null,
    arrows: [
      { kind: "launch", from_row: 2, from_ns: middle, to_row: 20, to_ns: middle + span_ns / 9 },
    ],
    flows: [],
    searching,
  };
}

const painted = () => new Promise<void>((done) => requestAnimationFrame(() => setTimeout(done)));

/** Milliseconds inside of every draw call, and of the rasterisation that follows it. */
async function measure(options: Options) {
  const scene = makeScene(options);
  const canvas = element<HTMLCanvasElement>("canvas");
  canvas.width = scene.width * options.ratio;
  canvas.height = scene.height * options.ratio;
  canvas.style.cssText = `width:${scene.width}px;height:${scene.height}px`;
  const ctx = canvas.getContext("2d") as CanvasRenderingContext2D;
  ctx.scale(options.ratio, options.ratio);
  const draw: number[] = [];
  const raster: number[] = [];
  for (let frame = -5; frame < options.frames; frame += 1) {
    await painted();
    // A little further with each frame, as while panning, so that nothing of the last one holds.
    const moved = ((frame + 5) % 10) * 0.0005 * options.span_ns;
    const { start_ns, end_ns } = scene.view;
    const view = { start_ns: start_ns + moved, end_ns: end_ns + moved };
    const begin = performance.now();
    paintLanes(ctx, { ...scene, view });
    const drawn = performance.now();
    // Reading a pixel makes the browser carry out what it has only noted so far.
    if (options.raster) ctx.getImageData(0, 0, 1, 1);
    const done = performance.now();
    if (frame < 0) continue;
    draw.push(drawn - begin);
    raster.push(done - drawn);
  }
  return {
    draw,
    raster,
    ...counted(scene, options.ratio),
    width: scene.width,
    height: scene.height,
  };
}

/** What one frame consists of, counted at the canvas. */
function counted(scene: Scene, ratio: number) {
  const counts = { rectangles: 0, labels: 0 };
  const ctx = document.createElement("canvas").getContext("2d") as CanvasRenderingContext2D;
  ctx.scale(ratio, ratio);
  ctx.fillRect = () => {
    counts.rectangles += 1;
  };
  ctx.fillText = () => {
    counts.labels += 1;
  };
  paintLanes(ctx, scene);
  const rows = scene.levels.flatMap((level) => [...level.rows.values()]);
  const slices = rows.reduce((sum, row) => sum + row.start.length, 0);
  return { slices, ...counts };
}

document.head.append(Object.assign(document.createElement("style"), { textContent: tokens }));
Object.assign(globalThis, { measure });
