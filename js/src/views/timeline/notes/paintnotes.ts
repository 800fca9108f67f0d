/** Paints the notes of a person: flags on the ruler, and marks on slices, lanes and ranges. */
import { findRow, rowTop } from "../data/rows";
import { lanesOf } from "../state/lanes/placement";
import { deviceRatio, type Scale, scaleOf, snap, toX } from "../state/scale";
import type { Scene, View } from "../state/types";
import type { NoteMark } from "./note";

/** Size of a flag, px, and distance from its pole within which it is hit. */
const FLAG = 7;
const REACH = 6;

/** Draw a flag where each note begins, and a line along its range, at the lower edge of the steps. */
export function paintNoteFlags(
  ctx: CanvasRenderingContext2D,
  notes: readonly NoteMark[],
  { view, width, color }: { view: View; width: number; color: string },
): void {
  const scale = scaleOf(view, width);
  const ratio = deviceRatio(ctx);
  ctx.fillStyle = color;
  for (const { start_ns, end_ns } of notes) {
    const from = toX(scale, start_ns);
    const to = toX(scale, end_ns);
    if (to < 0 || from > width) continue;
    const left = snap(Math.max(0, from), ratio);
    const right = Math.min(width, to);
    if (right - left > FLAG) ctx.fillRect(left, 0, right - left, 2);
    if (from >= 0) flag(ctx, left);
  }
}

/** A flag on its pole, to the left of it, since names of steps are on the right. */
function flag(ctx: CanvasRenderingContext2D, x: number): void {
  const tip = x < FLAG ? x + FLAG : x - FLAG;
  ctx.fillRect(x, 0, 1, FLAG + 5);
  ctx.beginPath();
  ctx.moveTo(x, 1);
  ctx.lineTo(tip, 1 + FLAG / 2);
  ctx.lineTo(x, 1 + FLAG);
  ctx.fill();
}

/** The note whose flag is at a point of the ruler. */
export function noteAt(notes: readonly NoteMark[], scale: Scale, x: number): NoteMark | null {
  const away = ({ start_ns }: NoteMark) => {
    const pole = toX(scale, start_ns);
    return Math.abs(x - pole + (pole < FLAG ? -FLAG : FLAG) / 2);
  };
  const [nearest] = [...notes].sort((one, other) => away(one) - away(other));
  return nearest && away(nearest) <= REACH ? nearest : null;
}

/** Draw a corner on each slice with a note, and the ends of ranges on their lanes. */
export function paintNotes(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  const { notes, palette, width, height, placed } = scene;
  if (!notes?.length) return;
  const ratio = deviceRatio(ctx);
  for (const mark of notes) {
    const left = snap(toX(scale, mark.start_ns), ratio);
    const right = snap(toX(scale, mark.end_ns), ratio);
    if (right < 0 || left > width) continue;
    ctx.fillStyle = palette.accent;
    if (mark.row !== null) {
      const place = findRow(placed, mark.row);
      if (place) corner(ctx, palette.bg, Math.max(0, left), rowTop(place.lane, place.depth));
      continue;
    }
    const lane = mark.lane
      ? placed.find(
          (item) => item.type === "lane" && lanesOf(item).some(({ key }) => key === mark.lane),
        )
      : { y: 0, height };
    if (!lane) continue;
    for (const x of [left, right])
      if (x >= 0 && x <= width) dashes(ctx, x, lane.y, lane.y + lane.height);
  }
}

/** A triangle in the upper left corner of a slice, with an edge in the background's colour. */
function corner(ctx: CanvasRenderingContext2D, edge: string, x: number, y: number): void {
  const triangle = (size: number, at: number) => {
    ctx.beginPath();
    ctx.moveTo(x - at, y - at);
    ctx.lineTo(x + size, y - at);
    ctx.lineTo(x - at, y + size);
    ctx.fill();
  };
  const fill = ctx.fillStyle;
  ctx.fillStyle = edge;
  triangle(FLAG + 5, 1);
  ctx.fillStyle = fill;
  triangle(FLAG + 1, 0);
}

function dashes(ctx: CanvasRenderingContext2D, x: number, from: number, to: number): void {
  for (let y = from; y < to; y += 6) ctx.fillRect(x, y, 1, Math.min(3, to - y));
}
