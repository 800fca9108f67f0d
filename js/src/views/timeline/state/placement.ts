/** Computes the vertical positions of groups, lanes and tracks, and which of them are visible. */
import type { Filter } from "../../../core/protocol/protocol";
import type { Group, Lane, Layout, Track } from "../data/messages";
import { rowTop } from "../data/rows";
import type { Placed, PlacedGroup, PlacedLane, PlacedTrack } from "./types";

export const GROUP_HEIGHT = 22;
const TRACK_HEIGHT = 38;
/** Rows of host slices are close, since they are nested; kernels are taller. */
const HOST = { rowHeight: 15, rowPitch: 17 };
const STREAM = { rowHeight: 18, rowPitch: 19 };
const PADDING = 3;
/** Height of the two lines of a lane's name, px. */
const NAME_HEIGHT = 40;
/** The key of the group of pinned lanes, which comes first. */
export const PINNED = "pinned";

/** A member of a group. */
export type Member = PlacedLane | PlacedTrack;

export interface Arrangement {
  collapsed: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  pinned: readonly string[];
  filter: Filter;
}

export class Placement {
  constructor(
    /** All items, with `y` from the top of the scrolled area. */
    readonly placed: readonly Placed[],
    readonly height: number,
  ) {}

  /** The items between two heights, with `y` from the upper one. */
  visible(top: number, height: number): Placed[] {
    return this.#between(top, top + height).map((item) => ({ ...item, y: item.y - top }));
  }

  /**
   * The items on screen: first the band of the topmost item's group, then the items between two
   * heights. The band stays at the top until the next one pushes it away.
   */
  onScreen(top: number, height: number): Placed[] {
    const visible = this.visible(top, height);
    let at = this.#firstBelow(top);
    while (at > 0 && this.placed[at]?.type !== "group") at -= 1;
    const held = this.placed[at];
    if (held?.type !== "group" || held.y >= top) return visible;
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
    const found: Member[] = [];
    for (let at = this.#firstBelow(bottom - NAME_HEIGHT); at < this.placed.length; at += 1) {
      const item = this.placed[at] as Placed;
      if (item.y + Math.min(item.height, NAME_HEIGHT) <= bottom) continue;
      if (item.type === "group") break;
      found.push(item);
    }
    return found;
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

  /** Ranges of row numbers between two heights, ascending, end exclusive. */
  rowsBetween(top: number, bottom: number): [number, number][] {
    const ranges = this.#between(top, bottom).flatMap((item): [number, number][] => {
      if (item.type !== "lane") return [];
      const start = rowTop(item, 0);
      const first = Math.max(0, Math.floor((top - start) / item.rowPitch));
      const last = Math.min(item.depths, Math.ceil((bottom - start) / item.rowPitch));
      const { first_row } = item.lane;
      return last > first ? [[first_row + first, first_row + last]] : [];
    });
    return merged(ranges);
  }

  tracksBetween(top: number, bottom: number): string[] {
    const items = this.#between(top, bottom);
    return items.flatMap((item) => (item.type === "track" ? [item.track.key] : []));
  }

  /** The lanes between two heights, given in either order. */
  lanesBetween(one: number, other: number): Lane[] {
    const items = this.#between(Math.min(one, other), Math.max(one, other) + 1);
    return items.flatMap((item) => (item.type === "lane" ? [item.lane] : []));
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
    return this.placed.flatMap((item) => (item.type === "lane" ? [item.lane] : []));
  }

  #between(top: number, bottom: number): Placed[] {
    const found: Placed[] = [];
    for (let at = this.#firstBelow(top); at < this.placed.length; at += 1) {
      const item = this.placed[at] as Placed;
      if (item.y >= bottom) break;
      found.push(item);
    }
    return found;
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

export function place(layout: Layout, arrangement: Arrangement): Placement {
  const { collapsed, hidden, pinned } = arrangement;
  const placed: Placed[] = [];
  let y = 0;
  const put = (item: Placed) => {
    placed.push(item);
    y += item.height;
  };
  const putGroup = (group: Group, members: readonly (Lane | Track)[]) => {
    if (members.length === 0) return;
    const closed = collapsed.has(group.key);
    put({ type: "group", group, y, height: GROUP_HEIGHT, collapsed: closed });
    if (closed) return;
    for (const member of members) {
      if ("first_row" in member) put(placeLane(member, y, collapsed.has(member.key)));
      else put({ type: "track", track: member, y, height: TRACK_HEIGHT });
    }
  };
  const members = [...layout.lanes, ...layout.tracks].filter(
    (member) =>
      !hidden.has(member.key) && !hidden.has(member.group) && passes(member, arrangement.filter),
  );
  const byKey = new Map(members.map((member) => [member.key, member]));
  const first = pinned.flatMap((key) => byKey.get(key) ?? []);
  const detail = first.length === 1 ? "1 lane" : `${first.length} lanes`;
  putGroup({ key: PINNED, label: "Pinned", detail }, first);
  const rest = new Map<string, (Lane | Track)[]>();
  for (const member of members) {
    if (pinned.includes(member.key)) continue;
    const own = rest.get(member.group);
    if (own) own.push(member);
    else rest.set(member.group, [member]);
  }
  for (const group of layout.groups) putGroup(group, rest.get(group.key) ?? []);
  return new Placement(placed, y);
}

function placeLane(lane: Lane, y: number, collapsed: boolean): PlacedLane {
  const { rowHeight, rowPitch } = lane.kind === "stream" ? STREAM : HOST;
  const depths = collapsed ? Math.min(1, lane.depths) : lane.depths;
  const used = Math.max(0, (depths - 1) * rowPitch + rowHeight);
  const height = used + 2 * PADDING;
  return { type: "lane", lane, y, height, depths, rowHeight, rowPitch, collapsed };
}

/** Whether the filter keeps a lane; a condition applies only to lanes that can meet it. */
function passes(member: Lane | Track, filter: Filter): boolean {
  const meets = (value: number | null, wanted: number[] | undefined) =>
    !wanted || value === null || wanted.includes(value);
  const tid = "tid" in member ? member.tid : null;
  return (
    meets(tid, filter.threads) &&
    meets(member.device, filter.devices) &&
    meets(member.stream, filter.streams)
  );
}

/** Whether an item belongs to a device. */
export function isDevice(placed: Placed): boolean {
  const key =
    placed.type === "group"
      ? placed.group.key
      : (placed.type === "lane" ? placed.lane : placed.track).group;
  return key.startsWith("device:");
}

/** Lower edge of the band at the top, which covers the lanes. */
export function bandBottom([first]: readonly Placed[]): number {
  return first?.type === "group" ? first.y + first.height : 0;
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
