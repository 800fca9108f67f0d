/** Finds the slice under a point of the canvas, and the neighbours of a slice. */

import { CATEGORIES } from "../../../canvas/categories";
import type { Lane, SliceRef } from "../data/messages";
import {
  contentOf,
  findRow,
  firstEndingAfter,
  isBlock,
  type Piece,
  rowPieces,
  rowTop,
} from "../data/rows";
import { laneAt } from "../state/lanes/placement";
import { scaleOf, toNs } from "../state/scale";
import type { Hit, Placed, PlacedLane, Scene } from "../state/types";

/** Slices thinner than this, px, are hit from this distance. */
const THIN = 4;
const TOLERANCE = 2;

interface Found {
  piece: Piece;
  at: number;
}

/** Find the slice, block or empty place at a point, CSS px from the top left of the canvas. */
export function hitTest(scene: Scene, x: number, y: number): Hit | null {
  const placed = placedAt(scene.placed, y);
  if (placed?.type !== "lane" || x < 0 || x >= scene.width) return null;
  const row = placed.lane.first_row + depthAt(placed, y);
  const scale = scaleOf(scene.view, scene.width);
  const time = toNs(scale, x);
  const found = findAt(scene, row, time, 1 / scale.perNs);
  return hitFrom(laneAt(placed, row), row, Math.round(time), found);
}

/** The item at a height; the band at the top has priority over the items below it. */
export function placedAt(placed: readonly Placed[], y: number): Placed | undefined {
  return placed.find((each) => y >= each.y && y < each.y + each.height);
}

/** The properties of a slice that need no request; null if its row is not shown. */
export function hitOf(scene: Scene, ref: SliceRef): Hit | null {
  const place = findRow(scene.placed, ref.row);
  if (!place) return null;
  const found = findAt(scene, ref.row, ref.start_ns, 0);
  return hitFrom(laneAt(place.lane, ref.row), ref.row, ref.start_ns, found);
}

function depthAt(placed: PlacedLane, y: number): number {
  const depth = Math.floor((y - rowTop(placed, 0)) / placed.rowPitch);
  return Math.min(Math.max(depth, 0), placed.depths - 1);
}

/** Find the entry at a time; `pixel` is the length of a pixel in ns, or 0 for an exact search. */
function findAt(scene: Scene, row: number, time: number, pixel: number): Found | null {
  const reach = Math.max(TOLERANCE * pixel, 0.5);
  const around = { start_ns: time - reach, end_ns: time + reach };
  let best: Found | null = null;
  let least = Infinity;
  for (const piece of rowPieces(scene.levels, row, around)) {
    const { start, width } = piece.items;
    for (let entry = piece.first; entry < piece.last; entry += 1) {
      const from = Math.max(start[entry] as number, piece.low);
      const to = Math.min((start[entry] as number) + (width[entry] as number), piece.high);
      const away = Math.max(from - time, time - to, 0);
      // Where an entry ends and the next starts, the next one is found.
      const inside = time >= from && (time < to || from === to);
      const distance = inside ? -1 : away;
      if (distance > 0 && to - from >= THIN * pixel) continue;
      if (distance < least) {
        least = distance;
        best = { piece, at: entry };
      }
    }
  }
  return least <= reach ? best : null;
}

function hitFrom(lane: Lane, row: number, time: number, found: Found | null): Hit {
  const empty = { lane, row, time_ns: time, slice: null, span: null };
  if (!found) return { ...empty, name: "", category: null, count: 0, busy_ns: 0 };
  const { items, level } = found.piece;
  const ref = refOf(found, row);
  const category = CATEGORIES[items.category[found.at] as number] ?? null;
  const block = isBlock(items.name, found.at);
  return {
    ...empty,
    slice: block ? null : ref,
    span: { start_ns: ref.start_ns, end_ns: ref.end_ns },
    name: block ? "" : (level.info.names[items.name[found.at] as number] ?? ""),
    category,
    ...contentOf(items, found.at),
  };
}

function refOf({ piece: { items }, at: entry }: Found, row: number): SliceRef {
  const start = items.start[entry] as number;
  const end = start + (items.width[entry] as number);
  return { slice: items.slice[entry] as number, row, start_ns: start, end_ns: end };
}

export type Direction = "left" | "right" | "up" | "down";

/**
 * Find the slice beside another, or above or below its middle; null if there is none.
 *
 * For a block it is the first slice with the block's extent, so that no part of a row is skipped.
 */
export function neighbour(scene: Scene, from: SliceRef, direction: Direction): SliceRef | null {
  if (direction === "left" || direction === "right") return beside(scene, from, direction);
  const rows = shownRows(scene);
  const step = direction === "up" ? -1 : 1;
  const middle = Math.floor((from.start_ns + from.end_ns) / 2);
  const pixel = 1 / scaleOf(scene.view, scene.width).perNs;
  for (let place = rows.indexOf(from.row) + step; rows[place] !== undefined; place += step) {
    const row = rows[place] as number;
    const found = findAt(scene, row, middle, pixel);
    if (found) return refOf(found, row);
  }
  return null;
}

function beside(scene: Scene, from: SliceRef, direction: "left" | "right"): SliceRef | null {
  const right = direction === "right";
  const view = right
    ? { start_ns: from.start_ns, end_ns: Infinity }
    : { start_ns: -Infinity, end_ns: from.start_ns + 1 };
  const pieces = rowPieces(scene.levels, from.row, view);
  if (!right) pieces.reverse();
  for (const piece of pieces) {
    const { start } = piece.items;
    let entry = firstEndingAfter(piece.items, from.start_ns);
    if (right) {
      entry = Math.max(entry, piece.first);
      while (entry < piece.last && (start[entry] as number) <= from.start_ns) entry += 1;
      if (entry < piece.last) return refOf({ piece, at: entry }, from.row);
    } else {
      entry = Math.min(entry, piece.last - 1);
      while (entry >= piece.first && (start[entry] as number) >= from.start_ns) entry -= 1;
      if (entry >= piece.first) return refOf({ piece, at: entry }, from.row);
    }
  }
  return null;
}

/** The rows on screen from top to bottom. */
function shownRows(scene: Scene): number[] {
  const rows: number[] = [];
  for (const placed of scene.placed) {
    if (placed.type !== "lane") continue;
    for (let depth = 0; depth < placed.depths; depth += 1) rows.push(placed.lane.first_row + depth);
  }
  return rows;
}
