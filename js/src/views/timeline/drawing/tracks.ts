/** Paints curves: utilization as filled steps, memory and other counters as step lines. */

import { CATEGORIES } from "../../../canvas/categories";
import type { Palette } from "../../../canvas/palette";
import { deviceRatio, type Scale, snap, toX } from "../state/scale";
import type { PlacedTrack, Scene, TrackItems } from "../state/types";
import { inSight } from "./slices";

const MARGIN_TOP = 4;
const MARGIN_BOTTOM = 2;
const LINE = 1.5;
const KERNEL = CATEGORIES.indexOf("kernel");

/** The curve of one level, and the part of the window in which it is drawn. */
interface Part {
  items: TrackItems;
  low: number;
  high: number;
}

interface Look {
  stroke: string;
  fillAlpha: number;
}

export function paintTracks(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  for (const placed of scene.placed) {
    if (placed.type !== "track" || !inSight(placed, scene.height)) continue;
    const look = lookOf(placed.track.unit, scene.palette);
    for (const part of trackParts(scene, placed.track.key)) {
      paintPart(ctx, placed, part, look, scale);
    }
  }
}

function lookOf(unit: string, palette: Palette): Look {
  if (unit === "%") return { stroke: palette.categories[KERNEL] as string, fillAlpha: 0.35 };
  return { stroke: palette.curve, fillAlpha: unit === "bytes" ? 0 : 0.18 };
}

/** The parts of a curve: from the last level that has it, and outside of its window from earlier ones. */
function trackParts(scene: Pick<Scene, "levels" | "view">, key: string): Part[] {
  const parts: Part[] = [];
  let open: [number, number][] = [[scene.view.start_ns, scene.view.end_ns]];
  for (const level of [...scene.levels].reverse()) {
    const items = level.tracks.get(key);
    if (!items) continue;
    open = open.flatMap(([from, to]) => {
      const low = Math.max(from, level.info.start_ns);
      const high = Math.min(to, level.info.end_ns);
      if (low >= high) return [[from, to]];
      if (items.time.length) parts.push({ items, low, high });
      const rest: [number, number][] = [];
      if (from < low) rest.push([from, low]);
      if (high < to) rest.push([high, to]);
      return rest;
    });
  }
  return parts.sort((a, b) => a.low - b.low);
}

function paintPart(
  ctx: CanvasRenderingContext2D,
  placed: PlacedTrack,
  { items, low, high }: Part,
  look: Look,
  scale: Scale,
): void {
  const ratio = deviceRatio(ctx);
  const bottom = snap(placed.y + placed.height - MARGIN_BOTTOM, ratio);
  const y = valueScale(placed, bottom);
  const first = Math.max(0, countUntil(items.time, low) - 1);
  const last = countUntil(items.time, high);
  if (first >= last) return;
  const left = toX(scale, Math.max(low, items.time[first] as number));
  const right = toX(scale, high);
  ctx.beginPath();
  ctx.moveTo(left, y(valueAt(items, first, low)));
  for (let at = first; at < last; at += 1) {
    const time = items.time[at] as number;
    if (time < low) continue;
    const x = toX(scale, time);
    if (at > first) ctx.lineTo(x, y(items.last[at - 1] as number));
    ctx.lineTo(x, y(items.first[at] as number));
    const [least, most] = [items.low[at] as number, items.high[at] as number];
    // Within a column the curve covers the range from its lowest to its highest value.
    if (least === most) continue;
    ctx.lineTo(x, y(least));
    ctx.lineTo(x, y(most));
    ctx.lineTo(x, y(items.last[at] as number));
  }
  ctx.lineTo(right, y(items.last[last - 1] as number));
  ctx.strokeStyle = look.stroke;
  ctx.lineWidth = LINE;
  ctx.lineJoin = "round";
  ctx.stroke();
  if (!look.fillAlpha) return;
  ctx.lineTo(right, bottom);
  ctx.lineTo(left, bottom);
  ctx.globalAlpha = look.fillAlpha;
  ctx.fillStyle = look.stroke;
  ctx.fill();
  ctx.globalAlpha = 1;
}

/** The value at the start of the part. */
function valueAt(items: TrackItems, at: number, time: number): number {
  return ((items.time[at] as number) < time ? items.last[at] : items.first[at]) as number;
}

function valueScale({ y: top, height, track }: PlacedTrack, bottom: number) {
  const room = height - MARGIN_TOP - MARGIN_BOTTOM;
  const span = track.high - track.low;
  return (value: number): number => {
    const share = span > 0 ? (value - track.low) / span : 0.5;
    return Math.min(bottom, Math.max(top + 1, bottom - share * room));
  };
}

/** The number of entries before a time. */
function countUntil(times: Float64Array, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) < time) low = middle + 1;
    else high = middle;
  }
  return low;
}
