/**
 * Combines the slices of one row from several levels of detail.
 *
 * The last level is drawn where it has data; outside of its window, earlier ones are. So nothing
 * blanks while a finer level is requested, and nothing is drawn twice.
 */
import type { Level, Placed, PlacedLane, RowItems, View } from "../state/types";

/** Entries `first` to `last` (exclusive) of a row of one level. */
export interface Piece {
  level: Level;
  items: RowItems;
  first: number;
  last: number;
  /** Blocks are cut at this time, because a later level continues from there. */
  low: number;
  high: number;
}

export function answers(level: Level, row: number): boolean {
  return level.info.rows.some(([first, last]) => row >= first && row < last);
}

/** The pieces that show a row in a window, in order of time. */
export function rowPieces(levels: readonly Level[], row: number, view: View): Piece[] {
  const pieces: Piece[] = [];
  // Parts without a level yet: start, end, and whether a later level follows at each end.
  let open: [number, number, boolean, boolean][] = [[view.start_ns, view.end_ns, false, false]];
  for (let at = levels.length - 1; at >= 0 && open.length; at -= 1) {
    const level = levels[at] as Level;
    if (!answers(level, row)) continue;
    const { start_ns: start, end_ns: end } = level.info;
    const items = level.rows.get(row);
    const rest: typeof open = [];
    for (const [from, to, laterBefore, laterAfter] of open) {
      const low = Math.max(from, start);
      const high = Math.min(to, end);
      if (low >= high) {
        rest.push([from, to, laterBefore, laterAfter]);
        continue;
      }
      if (from < low) rest.push([from, low, laterBefore, true]);
      if (high < to) rest.push([high, to, true, laterAfter]);
      if (!items) continue;
      const cut = [low === from && laterBefore, high === to && laterAfter] as const;
      const piece = pieceOf(level, items, low, high, ...cut);
      if (piece.first < piece.last) pieces.push(piece);
    }
    open = rest;
  }
  return pieces.sort((a, b) => startOf(a) - startOf(b));
}

function startOf(piece: Piece): number {
  return piece.items.start[piece.first] as number;
}

/**
 * Return the part of a level that is drawn. A slice that reaches into the window of a later level is
 * in that level, so it is left out. A block is there only in part, so its rest is drawn.
 */
function pieceOf(
  level: Level,
  items: RowItems,
  low: number,
  high: number,
  laterBefore: boolean,
  laterAfter: boolean,
): Piece {
  const { start, width, name } = items;
  let first = firstEndingAfter(items, low);
  let last = firstStartingAt(items, high);
  const piece = { level, items, low: -Infinity, high: Infinity };
  if (laterBefore && first < last && (start[first] as number) < low) {
    if (isBlock(name, first)) piece.low = low;
    else first += 1;
  }
  if (laterAfter && first < last) {
    const end = (start[last - 1] as number) + (width[last - 1] as number);
    if (end > high) {
      if (isBlock(name, last - 1)) piece.high = high;
      else last -= 1;
    }
  }
  return { ...piece, first, last };
}

export function isBlock(name: Int32Array, at: number): boolean {
  return (name[at] as number) < 0;
}

/** Index of the first entry that ends after a time, or starts at it or later. */
export function firstEndingAfter({ start, width }: RowItems, time: number): number {
  let low = 0;
  let high = start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const from = start[middle] as number;
    if (from >= time || from + (width[middle] as number) > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first entry that starts at a time or later. */
function firstStartingAt({ start }: RowItems, time: number): number {
  let low = 0;
  let high = start.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((start[middle] as number) >= time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The number of slices in a block and their total time; for a slice, 1 and its own time. */
export function contentOf(items: RowItems, at: number): { count: number; busy_ns: number } {
  const { block } = items;
  let low = 0;
  let high = block.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((block[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  if (block[low] !== at) return { count: 1, busy_ns: items.width[at] as number };
  return { count: items.count[low] as number, busy_ns: items.busy_ns[low] as number };
}

/** Top of a row of a lane, CSS px; the rows are centred in the lane's height. */
export function rowTop(placed: PlacedLane, depth: number): number {
  const used = (placed.depths - 1) * placed.rowPitch + placed.rowHeight;
  const margin = Math.max(0, Math.round((placed.height - used) / 2));
  return placed.y + margin + depth * placed.rowPitch;
}

/** The lane that shows a row, and its depth there; null where it is hidden or collapsed. */
export function findRow(
  placed: readonly Placed[],
  row: number,
): { lane: PlacedLane; depth: number } | null {
  for (const each of placed) {
    if (each.type !== "lane") continue;
    const depth = row - each.lane.first_row;
    if (depth >= 0 && depth < each.depths) return { lane: each, depth };
  }
  return null;
}
