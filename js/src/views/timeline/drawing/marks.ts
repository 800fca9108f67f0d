/** Paints the layer over the slices: outlines of the hovered and selected slice, and the measure. */

import type { SliceRef } from "../data/messages";
import { findRow, firstEndingAfter, isBlock, rowPieces, rowTop } from "../data/rows";
import { bandBottom } from "../state/lanes/placement";
import { deviceRatio, type Scale, snap, toX } from "../state/scale";
import type { Scene, View } from "../state/types";
import { formatSpan } from "./ticks";

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** The box in which a slice is drawn, CSS px; null where its row is not shown. */
function boxOf(scene: Scene, scale: Scale, ref: SliceRef, ratio: number): Box | null {
  const place = findRow(scene.placed, ref.row);
  if (!place) return null;
  const { start_ns: start, end_ns: end } = extent(scene, ref);
  const left = snap(toX(scale, start), ratio);
  let right = snap(toX(scale, end), ratio);
  right -= right - left >= 3 ? 1 : 0;
  const top = snap(rowTop(place.lane, place.depth), ratio);
  const least = Math.max(right, left + 1 / ratio);
  return { left, right: least, top, bottom: top + place.lane.rowHeight };
}

/** The extent of a reference: that of the slice if known, else that of the block it came from. */
function extent(scene: Scene, ref: SliceRef): View {
  const around = { start_ns: ref.start_ns, end_ns: ref.start_ns + 1 };
  for (const { items } of rowPieces(scene.levels, ref.row, around)) {
    const at = firstEndingAfter(items, ref.start_ns);
    if (items.slice[at] !== ref.slice || isBlock(items.name, at)) continue;
    const start = items.start[at] as number;
    return { start_ns: start, end_ns: start + (items.width[at] as number) };
  }
  return ref;
}

export function paintOutlines(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  const { hovered, selected, palette } = scene;
  const ratio = deviceRatio(ctx);
  if (hovered && !(selected && sameSlice(hovered, selected))) {
    const box = boxOf(scene, scale, hovered, ratio);
    if (box) outline(ctx, clamped(box, scene.width), 0.5, 1, palette.fg);
  }
  const box = selected && boxOf(scene, scale, selected, ratio);
  if (!box) return;
  // A ring in the background colour separates the outline from dark fills.
  outline(ctx, clamped(box, scene.width), 1.5, 3, palette.bg);
  outline(ctx, clamped(box, scene.width), 0, 2, palette.fg);
}

function sameSlice(one: SliceRef, other: SliceRef): boolean {
  return one.slice === other.slice && one.row === other.row;
}

/** Move ends of a box that are outside of the canvas to just outside. */
function clamped({ left, right, top, bottom }: Box, width: number): Box {
  return { left: Math.max(left, -8), right: Math.min(right, width + 8), top, bottom };
}

/** Stroke a box; `inset` moves the line inwards. */
function outline(
  ctx: CanvasRenderingContext2D,
  { left, right, top, bottom }: Box,
  inset: number,
  width: number,
  color: string,
): void {
  if (right < left || left > right + 16) return;
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.lineJoin = "miter";
  const across = Math.max(right - left - 2 * inset, 0);
  ctx.strokeRect(left + inset, top + inset, across, bottom - top - 2 * inset);
}

/** Paint a measure: two lines and between them the length, on an opaque plate. */
export function paintMeasure(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  if (!scene.measure) return;
  const { palette, width, height } = scene;
  const ratio = deviceRatio(ctx);
  const ends = [scene.measure.from_ns, scene.measure.to_ns].sort((a, b) => a - b);
  const [from, to] = ends as [number, number];
  const left = snap(toX(scale, from), ratio);
  const right = snap(toX(scale, to), ratio);
  ctx.fillStyle = palette.fg;
  for (const x of [left, right]) ctx.fillRect(x, 0, 1, height);
  if (from === to || right < 0 || left > width) return;
  const y = snap(measureTop(scene), ratio);
  const [start, end] = [Math.max(left, 0), Math.min(right, width)];
  ctx.fillRect(start, y, end - start, 1);
  arrowTip(ctx, left, y, 5);
  arrowTip(ctx, right + 1, y, -5);
  ctx.font = `600 ${palette.font}`;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  const text = formatSpan(to - from);
  const half = ctx.measureText(text).width / 2 + 4;
  const middle = Math.min(Math.max((start + end) / 2, half), width - half);
  ctx.fillStyle = palette.bg;
  ctx.fillRect(middle - half, y - 8, 2 * half, 17);
  ctx.strokeStyle = palette.line;
  ctx.lineWidth = 1;
  ctx.strokeRect(snap(middle - half, ratio) + 0.5, y - 7.5, 2 * half - 1, 16);
  ctx.fillStyle = palette.fg;
  ctx.fillText(text, middle, y + 1);
}

/** Top of the first visible lane or curve; group bands may be covered. */
function measureTop(scene: Scene): number {
  const covered = bandBottom(scene.placed);
  const first = scene.placed.find(
    (each) => each.type !== "group" && each.y + each.height > covered + 20,
  );
  return Math.max(first?.y ?? 0, covered) + 11;
}

function arrowTip(ctx: CanvasRenderingContext2D, x: number, y: number, length: number): void {
  ctx.beginPath();
  ctx.moveTo(x, y + 0.5);
  ctx.lineTo(x + length, y - 2.5);
  ctx.lineTo(x + length, y + 3.5);
  ctx.fill();
}
