/**
 * The page of timeline_draw.py: frames of so many slices, drawn by the very code of the widget.
 *
 * A frame holds as many slices as asked for, whatever the zoom. As in a window of a real trace, some
 * rows are full to the brim, two slices a pixel column, which is the most that a reply holds, and the
 * others have slices with labels. Numbers are drawn from a generator with a fixed seed.
 */
import tokens from "../js/src/styles/tokens.css";
import { paintLanes } from "../js/src/timeline/paint.ts";
import { readPalette } from "../js/src/timeline/palette.ts";

const ROWS = { host: 18, stream: 6 };
const LANE = {
  host: { depths: 6, pitch: 17, height: 15 },
  stream: { depths: 1, pitch: 18, height: 18 },
};
const CODES = { host: [0, 0, 0, 0, 1, 1, 2, 6], stream: [7, 7, 7, 7, 7, 8, 9, 10] };
const NAMES = 400;
/** Slices in a row with labels, on average this many pixels long. */
const LABELLED = 50;

function generator(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Lengths that differ by up to so many powers of ten. */
function lengths(slices, random) {
  const spread = slices > 1000 ? 1 : 0.5 + random();
  return Float64Array.from({ length: slices }, () => 10 ** (spread * random()));
}

/** How many slices each row has, mixed through the lanes. */
function sizes(slices, width) {
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

function makeRow(row, side, slices, view, random, blocks) {
  const span = view.end_ns - view.start_ns;
  const weights = lengths(slices, random);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const items = {
    row,
    start: new Float64Array(slices),
    width: new Float64Array(slices),
    slice: Int32Array.from({ length: slices }, (_, at) => row * slices + at),
    name: new Int32Array(slices),
    category: new Uint8Array(slices),
  };
  const block = [];
  let time = view.start_ns;
  for (let at = 0; at < slices; at += 1) {
    const room = (weights[at] / total) * span;
    items.start[at] = time;
    items.width[at] = room * (0.7 + 0.3 * random());
    items.category[at] = CODES[side][Math.floor(random() * CODES[side].length)];
    items.name[at] = Math.floor(random() * NAMES);
    // What is thinner than two pixels is a block of several, as a reply has it.
    if (blocks && room < (2 * span) / 1000) {
      items.name[at] = -1;
      block.push(at);
    }
    time += room;
  }
  items.block = Uint32Array.from(block);
  items.count = Uint32Array.from(block, () => 2 + Math.floor(50 * random()));
  items.busy_ns = Float64Array.from(block, (at) => items.width[at] * random());
  return items;
}

function makeScene({ slices, width, span_ns, searching, theme }) {
  const random = generator(7);
  const view = { start_ns: 1e12, end_ns: 1e12 + span_ns };
  const total = ROWS.host + ROWS.stream;
  const rows = new Map();
  const counts = sizes(slices, width);
  for (let row = 0; row < total; row += 1) {
    const side = row < ROWS.host ? "host" : "stream";
    rows.set(row, makeRow(row, side, counts[row], view, random, span_ns > 1e6));
  }
  const placed = [];
  let y = 0;
  for (let row = 0; row < total; ) {
    const { depths, pitch, height } = LANE[row < ROWS.host ? "host" : "stream"];
    const lane = { key: `lane ${row}`, first_row: row, depths };
    const tall = depths * pitch + 4;
    placed.push({
      type: "lane",
      lane,
      y,
      height: tall,
      depths,
      rowHeight: height,
      rowPitch: pitch,
    });
    y += tall;
    row += depths;
  }
  const names = Array.from(
    { length: NAMES },
    (_, at) => `aten::operator_${at.toString(36)}_of_model`,
  );
  const numbers = (most) => names.map((_, at) => at % most);
  const every = names.map((_, at) => at).filter((at) => at % 10 === 0);
  const info = { ...view, bin_ns: 1, group_by: "thread", rows: [[0, total]], names };
  Object.assign(info, { slots: numbers(10), shades: numbers(4), matches: every, dimmed: [] });
  const level = { info, rows, tracks: new Map(), matches: new Set(every), dimmed: new Set() };
  const root = document.querySelector(".nbp");
  root.dataset.theme = theme;
  const reference = { slice: 0, row: 0, ...view };
  const middle = view.start_ns + span_ns / 2;
  return {
    width,
    height: y,
    view,
    placed,
    levels: [level],
    palette: readPalette(root, theme),
    steps: [{ step: 1, start_ns: middle, end_ns: view.end_ns }],
    hovered: reference,
    selected: { ...reference, row: 20 },
    area: { start_ns: view.start_ns, end_ns: middle, lanes: [] },
    filtered: null,
    dimmedCategories: new Set(),
    measure: null,
    arrows: [
      { kind: "launch", from_row: 2, from_ns: middle, to_row: 20, to_ns: middle + span_ns / 9 },
    ],
    searching,
  };
}

const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** Milliseconds inside of every draw call, and of the rasterisation that follows it. */
async function measure(options) {
  const scene = makeScene(options);
  const canvas = document.querySelector("canvas");
  canvas.width = scene.width * options.ratio;
  canvas.height = scene.height * options.ratio;
  canvas.style.cssText = `width:${scene.width}px;height:${scene.height}px`;
  const ctx = canvas.getContext("2d");
  ctx.scale(options.ratio, options.ratio);
  const draw = [];
  const raster = [];
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
function counted(scene, ratio) {
  const counts = { rectangles: 0, labels: 0 };
  const ctx = document.createElement("canvas").getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillRect = () => {
    counts.rectangles += 1;
  };
  ctx.fillText = () => {
    counts.labels += 1;
  };
  paintLanes(ctx, scene);
  const slices = [...scene.levels[0].rows.values()].reduce((sum, row) => sum + row.start.length, 0);
  return { slices, ...counts };
}

document.head.append(Object.assign(document.createElement("style"), { textContent: tokens }));
globalThis.measure = measure;
