/** Paints stacked blocks: each level once as a bitmap, and the bitmaps, axes and marks per frame. */
import { mixHex } from "../../../canvas/color";
import type { Palette } from "../../../canvas/palette";
import { formatBytes } from "../../../values/format";
import type { Level, Span } from "./level";

/** Left of the plot: sizes. Below it: places on the axis. CSS px. */
export const GUTTER = 68;
export const RULER = 22;
export const TOP = 16;
const LABEL = 84;
const DIM = 0.22;

export interface Frame {
  levels: readonly Level[];
  view: Span;
  /** Bytes at the lower and upper edge. */
  bytes: Span;
  width: number;
  height: number;
  label(place: number): string;
  marks: readonly Mark[];
  /** The block to outline. */
  selected: number | null;
}

export interface Mark {
  at: number;
  text: string;
  kind: "oom" | "cursor" | "begin";
}

interface Bitmap {
  canvas: HTMLCanvasElement;
  key: string;
}

export class Painter {
  #bitmaps = new WeakMap<Level, Bitmap>();
  /** Milliseconds that the last frame took, for benchmarks. */
  took = 0;

  paint(pen: CanvasRenderingContext2D, palette: Palette, frame: Frame): void {
    const begun = performance.now();
    const { width, height, view, bytes } = frame;
    const plot = { left: GUTTER, top: TOP, width: width - GUTTER, height: height - TOP - RULER };
    pen.clearRect(0, 0, width, height);
    this.#axes(pen, palette, frame, plot);
    pen.save();
    pen.beginPath();
    pen.rect(plot.left, plot.top, plot.width, plot.height);
    pen.clip();
    pen.imageSmoothingEnabled = false;
    const x = (place: number) => plot.left + ((place - view[0]) / (view[1] - view[0])) * plot.width;
    for (const [at, level] of frame.levels.entries()) {
      const [left, right] = [x(level.span[0]), x(level.span[1])];
      const bitmap = this.#bitmap(level, palette, bytes, plot.height);
      if (at) pen.clearRect(left, plot.top, right - left, plot.height);
      pen.drawImage(bitmap, left, plot.top, right - left, plot.height);
    }
    const level = frame.levels.at(-1);
    if (level && frame.selected !== null) this.#outline(pen, palette, level, frame, plot);
    pen.restore();
    this.#marks(pen, palette, frame, plot, x);
    this.took = performance.now() - begun;
  }

  #bitmap(level: Level, palette: Palette, bytes: Span, height: number): HTMLCanvasElement {
    const ratio = globalThis.devicePixelRatio || 1;
    const key = [palette.theme, palette.bg, palette.curve, ...bytes, height, ratio].join();
    const before = this.#bitmaps.get(level);
    if (before?.key === key) return before.canvas;
    const canvas = before?.canvas ?? document.createElement("canvas");
    canvas.width = level.columns;
    canvas.height = Math.max(1, Math.round(height * ratio));
    const pen = canvas.getContext("2d");
    if (pen) drawLevel(pen, level, palette, bytes, canvas.height);
    this.#bitmaps.set(level, { canvas, key });
    return canvas;
  }

  #axes(pen: CanvasRenderingContext2D, palette: Palette, frame: Frame, plot: Plot): void {
    pen.font = palette.font;
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    for (const value of byteTicks(frame.bytes, plot.height / 40)) {
      const y = Math.round(toY(value, frame.bytes, plot)) + 0.5;
      pen.fillStyle = palette.grid;
      pen.fillRect(plot.left, y - 0.5, plot.width, 1);
      pen.fillStyle = palette.muted;
      pen.fillText(formatBytes(value), plot.left - 8, Math.max(y, plot.top + 5));
    }
    pen.textAlign = "center";
    const bottom = plot.top + plot.height;
    const [start, end] = frame.view;
    for (const place of ticks(frame.view, plot.width / LABEL)) {
      const x = plot.left + ((place - start) / (end - start)) * plot.width;
      pen.fillStyle = palette.lineStrong;
      pen.fillRect(Math.round(x), bottom, 1, 4);
      const text = frame.label(place);
      const half = pen.measureText(text).width / 2;
      if (x - half < plot.left - 20 || x + half > frame.width) continue;
      pen.fillStyle = palette.muted;
      pen.fillText(text, x, bottom + 13);
    }
    pen.fillStyle = palette.lineStrong;
    pen.fillRect(plot.left, bottom, plot.width, 1);
  }

  #outline(
    pen: CanvasRenderingContext2D,
    palette: Palette,
    level: Level,
    { view, bytes, selected }: Frame,
    plot: Plot,
  ): void {
    const at = level.find(selected as number);
    if (at < 0) return;
    const { runs, blocks } = level;
    const size = blocks[at]?.bytes ?? 0;
    const x = (column: number) =>
      plot.left +
      ((level.span[0] + column * level.pixel - view[0]) / (view[1] - view[0])) * plot.width;
    pen.strokeStyle = palette.fg;
    pen.lineWidth = 1.5;
    for (const [run, block] of runs.block.entries()) {
      if (block !== at) continue;
      const base = runs.base[run] as number;
      const [left, right] = [x(runs.from[run] as number), x(runs.to[run] as number)];
      const [top, bottom] = [toY(base + size, bytes, plot), toY(base, bytes, plot)];
      pen.strokeRect(left, top, Math.max(1, right - left), Math.max(1, bottom - top));
    }
  }

  #marks(
    pen: CanvasRenderingContext2D,
    palette: Palette,
    frame: Frame,
    plot: Plot,
    x: (place: number) => number,
  ): void {
    pen.font = palette.font;
    pen.textBaseline = "middle";
    let taken = Number.NEGATIVE_INFINITY;
    for (const { at, text, kind } of [...frame.marks].sort((a, b) => a.at - b.at)) {
      const place = Math.round(x(at));
      if (place < plot.left || place > plot.left + plot.width) continue;
      pen.fillStyle =
        kind === "cursor" ? palette.accent : kind === "oom" ? palette.fg : palette.muted;
      if (kind === "begin")
        for (let y = plot.top; y < plot.top + plot.height; y += 6) pen.fillRect(place, y, 1, 3);
      else pen.fillRect(place, plot.top - 2, kind === "oom" ? 2 : 1, plot.height + 2);
      const room = pen.measureText(text).width;
      const right = place + 4 + room < frame.width;
      const left = right ? place + 4 : place - 4 - room;
      if (left < taken) continue;
      pen.textAlign = "left";
      pen.fillText(text, left, plot.top - 8);
      taken = left + room + 6;
    }
  }
}

interface Plot {
  left: number;
  top: number;
  width: number;
  height: number;
}

function toY(value: number, [low, high]: Span, { top, height }: Plot): number {
  return top + height - ((value - low) / (high - low)) * height;
}

/** The fill of a block by its category, if recorded, else by its stack. */
export function fillOf(palette: Palette, slot: number): string {
  return slot < 0 ? palette.lineStrong : (palette.slots[slot % 10] ?? palette.lineStrong);
}

function drawLevel(
  pen: CanvasRenderingContext2D,
  level: Level,
  palette: Palette,
  [low, high]: Span,
  height: number,
): void {
  pen.clearRect(0, 0, level.columns, height);
  const scale = height / (high - low);
  const { runs, blocks, info } = level;
  const { categories } = info;
  const colors = new Map<string, string>();
  const color = (slot: number, match: boolean) => {
    const key = `${slot}${match}`;
    let found = colors.get(key);
    if (found === undefined) {
      const full = fillOf(palette, slot);
      found = match ? full : mixHex(full, palette.bg, DIM);
      colors.set(key, found);
    }
    return found;
  };
  for (let run = 0; run < runs.block.length; run += 1) {
    const block = blocks[runs.block[run] as number];
    if (!block) continue;
    const top = height - ((runs.base[run] as number) + block.bytes - low) * scale;
    const tall = block.bytes * scale;
    if (top > height || top + tall < 0) continue;
    const slot = categories.length ? categories.indexOf(block.category) : block.slot;
    pen.fillStyle = color(slot, block.match);
    const from = runs.from[run] as number;
    pen.fillRect(
      from,
      top,
      (runs.to[run] as number) - from,
      Math.max(0.6, tall - (tall > 4 ? 1 : 0)),
    );
  }
  pen.fillStyle = mixHex(palette.muted, palette.bg, 0.45);
  for (let at = 0; at < level.columns; at += 1) {
    const [total = 0, rest = 0] = [level.total[at], level.rest[at]];
    if (rest > 0) pen.fillRect(at, height - (total - low) * scale, 1, rest * scale);
  }
  pen.fillStyle = palette.muted;
  const thick = Math.max(1, Math.round(height / 320));
  let before: number | null = null;
  for (let at = 0; at < level.columns; at += 1) {
    const y = Math.round(height - ((level.reserved[at] ?? 0) - low) * scale);
    const top = Math.min(y, before ?? y);
    pen.fillRect(at, top, 1, Math.max(y, before ?? y) - top + thick);
    before = y;
  }
}

/** Round places in a range, about `count` of them. */
export function ticks([start, end]: Span, count: number): number[] {
  const raw = (end - start) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 5, 10].find((one) => one * power >= raw) ?? 10) * power;
  return steps(start, end, step);
}

function byteTicks([low, high]: Span, count: number): number[] {
  const raw = (high - low) / Math.max(1, count);
  const unit = 1024 ** Math.floor(Math.log(Math.max(raw, 1)) / Math.log(1024));
  const step = 2 ** Math.ceil(Math.log2(raw / unit)) * unit;
  return steps(low, high, step);
}

function steps(start: number, end: number, step: number): number[] {
  const found = [];
  for (let at = Math.ceil(start / step); at * step <= end && found.length < 200; at += 1)
    found.push(at * step);
  return found;
}
