/** `Placement`: placed groups, lanes and tracks; finds the visible ones and those at a height. */
import type { Lane } from "../../data/messages";
import { rowTop } from "../../data/rows";
import type { Placed, PlacedGroup, PlacedLane, PlacedTrack } from "../types";

export const GROUP_HEIGHT = 22;
/** Height of the two lines of a lane's name, px. */
const NAME_HEIGHT = 40;
/** The largest share of the height that pinned lanes keep while the others scroll. */
const MOST_PINNED = 0.6;
/** A member of a group. */
export type Member = PlacedLane | PlacedTrack;

export class Placement {
  #pinned: readonly Placed[];
  #pinnedHeight: number;

  constructor(
    /** All items, with `y` from the top of the scrolled area. */
    readonly placed: readonly Placed[],
    readonly height: number,
    /** The same items with no lane thin, which decide about the height of the canvas. */
    readonly usual?: Placement,
  ) {
    const first = placed.findIndex((item) => !item.pinned);
    this.#pinned = placed.slice(0, first < 0 ? placed.length : first);
    const last = this.#pinned.at(-1);
    this.#pinnedHeight = last ? last.y + last.height : 0;
  }

  /** The height that pinned items keep at the top of a canvas, however far the others scroll. */
  held(height: number): number {
    return Math.min(this.#pinnedHeight, Math.floor(height * MOST_PINNED));
  }

  /** Lower edge of the pinned items on the canvas. If they do not fit, they scroll, too. */
  edge(top: number, height: number): number {
    return this.#pinnedHeight - this.#shift(top, height);
  }

  /** The position on the canvas of an item. */
  canvasY({ y, pinned }: Placed, top: number, height: number): number {
    return y - (pinned ? this.#shift(top, height) : top);
  }

  /** How far pinned items have scrolled. */
  #shift(top: number, height: number): number {
    return Math.min(top, this.#pinnedHeight - this.held(height));
  }

  /** The items between two heights, with `y` from the upper one. */
  visible(top: number, height: number): Placed[] {
    return this.#between(top, top + height).map((item) => ({ ...item, y: item.y - top }));
  }

  /**
   * The items on screen: the pinned ones, then the band of the topmost other item's group, then the
   * items between two heights. The band stays at the top until the next one pushes it away.
   */
  onScreen(top: number, height: number): Placed[] {
    const edge = this.edge(top, height);
    const pinned = this.#pinned.flatMap((item) => {
      const y = this.canvasY(item, top, height);
      return y + item.height > 0 && y < height ? [{ ...item, y }] : [];
    });
    const scrolled = this.#scrolled(top + edge, height - edge);
    return [...pinned, ...scrolled.map((item) => ({ ...item, y: item.y + edge }))];
  }

  #scrolled(top: number, height: number): Placed[] {
    const visible = this.visible(top, height);
    let at = this.#firstBelow(top);
    while (at > 0 && this.placed[at]?.type !== "group") at -= 1;
    const held = this.placed[at];
    if (held?.type !== "group" || held.pinned || held.y >= top) return visible;
    if (visible[0]?.type === "group") visible.shift(); // the same band, partly scrolled out
    const next = visible.find((item) => item.type === "group");
    const y = Math.min(0, (next?.y ?? Infinity) - held.height);
    return [{ ...held, y }, ...visible];
  }

  /** The groups whose bands are not fully above a height. */
  groupsBelow(bottom: number): PlacedGroup[] {
    const items = this.placed.slice(this.#firstBelow(bottom - GROUP_HEIGHT));
    return items.flatMap((item) =>
      item.type === "group" && item.y + item.height > bottom ? [item] : [],
    );
  }

  /** The lanes and tracks whose names are not above a height, up to the next band. */
  membersBelow(bottom: number): Member[] {
    const members: Member[] = [];
    for (let at = this.#firstBelow(bottom - NAME_HEIGHT); at < this.placed.length; at += 1) {
      const item = this.placed[at] as Placed;
      if (item.y + Math.min(item.height, NAME_HEIGHT) <= bottom) continue;
      if (item.type === "group") break;
      members.push(item);
    }
    return members;
  }

  /** Whether there is anything below a height that the button at the lower edge would name. */
  goesOn(bottom: number): boolean {
    return this.groupsBelow(bottom).length > 0 || this.membersBelow(bottom).length > 0;
  }

  /**
   * The largest height, at most so many pixels, that cuts neither a row nor a name; where items are
   * left below, it includes the space of the button that names them.
   */
  fitting(most: number): number {
    if (this.usual) return this.usual.fitting(most);
    if (this.height <= most) return this.height;
    const whole = this.#wholeUntil(most);
    return this.goesOn(whole) ? this.#wholeUntil(most - GROUP_HEIGHT) + GROUP_HEIGHT : whole;
  }

  #wholeUntil(most: number): number {
    const item = this.placed[this.#firstBelow(most)];
    if (item?.type !== "lane") return item?.y ?? most;
    const rows = Math.floor((most - rowTop(item, 0)) / item.rowPitch);
    const end = rowTop(item, rows) - 1;
    return end - item.y < NAME_HEIGHT ? item.y : end;
  }

  /** Ranges of row numbers between two heights and of pinned lanes, ascending, end exclusive. */
  rowsBetween(top: number, bottom: number): [number, number][] {
    const ranges = this.#seen(top, bottom).flatMap((item): [number, number][] => {
      if (item.type !== "lane") return [];
      if (item.pinned) return [[item.lane.first_row, item.lane.first_row + item.depths]];
      const start = rowTop(item, 0);
      const first = Math.max(0, Math.floor((top - start) / item.rowPitch));
      const last = Math.min(item.depths, Math.ceil((bottom - start) / item.rowPitch));
      const { first_row } = item.lane;
      return last > first ? [[first_row + first, first_row + last]] : [];
    });
    return merged(ranges);
  }

  tracksBetween(top: number, bottom: number): string[] {
    const items = this.#seen(top, bottom);
    return items.flatMap((item) => (item.type === "track" ? [item.track.key] : []));
  }

  #seen(top: number, bottom: number): Placed[] {
    const between = this.#between(top, bottom);
    return [...this.#pinned, ...between.filter((item) => !item.pinned)];
  }

  /** The lanes between two heights, given in either order. */
  lanesBetween(one: number, other: number): Lane[] {
    const items = this.#between(Math.min(one, other), Math.max(one, other) + 1);
    return items.flatMap((item) => (item.type === "lane" ? lanesOf(item) : []));
  }

  /** The lane that shows a row; null where it is hidden or collapsed. */
  laneOfRow(row: number): PlacedLane | null {
    for (const item of this.placed) {
      if (item.type !== "lane") continue;
      const depth = row - item.lane.first_row;
      if (depth >= 0 && depth < item.depths) return item;
    }
    return null;
  }

  /** Top and bottom of a row; null where it is not shown. */
  boxOfRow(row: number): { top: number; bottom: number } | null {
    const item = this.laneOfRow(row);
    if (!item) return null;
    const top = rowTop(item, row - item.lane.first_row);
    return { top, bottom: top + item.rowHeight };
  }

  get lanes(): Lane[] {
    return this.placed.flatMap((item) => (item.type === "lane" ? lanesOf(item) : []));
  }

  #between(top: number, bottom: number): Placed[] {
    const visible: Placed[] = [];
    for (let at = this.#firstBelow(top); at < this.placed.length; at += 1) {
      const item = this.placed[at] as Placed;
      if (item.y >= bottom) break;
      visible.push(item);
    }
    return visible;
  }

  #firstBelow(top: number): number {
    let low = 0;
    let high = this.placed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const item = this.placed[middle] as Placed;
      if (item.y + item.height <= top) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The lanes that an item shows: one, or all of a collapsed group that is drawn as one. */
export function lanesOf({ lane, merged }: PlacedLane): readonly Lane[] {
  return merged ?? [lane];
}

/** The lane that a row of an item belongs to. */
export function laneAt(item: PlacedLane, row: number): Lane {
  const has = ({ first_row, depths }: Lane) => row >= first_row && row < first_row + depths;
  return item.merged?.find(has) ?? item.lane;
}

/** Whether an item is a whole group: its band, or the lane that it is drawn as. */
export function isGroup(item: Placed): boolean {
  return item.type === "group" || (item.type === "lane" && item.merged !== undefined);
}

/** Key of the group of an item. */
export function groupOf(placed: Placed): string {
  if (placed.type === "group") return placed.group.key;
  return (placed.type === "lane" ? placed.lane : placed.track).group;
}

/** Whether an item belongs to a device. */
export function isDevice(placed: Placed): boolean {
  return groupOf(placed).startsWith("device:");
}

/** Lower edge of what covers the scrolled lanes: the pinned ones, and the band below them. */
export function bandBottom(placed: readonly Placed[]): number {
  const first = placed.find((item) => !item.pinned);
  return first?.type === "group" ? first.y + first.height : pinnedBottom(placed);
}

/** Lower edge of the pinned items on screen; 0 without any. */
export function pinnedBottom(placed: readonly Placed[]): number {
  let bottom = 0;
  for (const item of placed) {
    if (!item.pinned) break;
    bottom = item.y + item.height;
  }
  return bottom;
}

/** Join ranges that touch, in ascending order. */
function merged(ranges: readonly [number, number][]): [number, number][] {
  const joined: [number, number][] = [];
  for (const [first, last] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const before = joined.at(-1);
    if (before && first <= before[1]) before[1] = Math.max(before[1], last);
    else joined.push([first, last]);
  }
  return joined;
}

/** Whether ascending, disjoint ranges contain all of the others. */
export function covers(
  ranges: readonly [number, number][],
  wanted: readonly [number, number][],
): boolean {
  return wanted.every(([first, last]) => ranges.some(([a, b]) => a <= first && b >= last));
}
