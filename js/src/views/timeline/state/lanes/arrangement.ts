/** `place`: places groups, lanes and curves below each other, in the user's order, with their heights. */
import type { Filter } from "../../../../core/protocol/protocol";
import type { Group, Lane, Layout, Track } from "../../data/messages";
import type { Placed, PlacedLane } from "../types";
import { inOrder } from "./laneorder";
import { GROUP_HEIGHT, type Member, Placement } from "./placement";

const TRACK_HEIGHT = 38;
/** Rows of host slices are close, since they are nested; kernels are taller. */
const HOST = { rowHeight: 15, rowPitch: 17 };
const STREAM = { rowHeight: 18, rowPitch: 19 };
const PADDING = 3;
/** Height of a lane of several rows without a slice in the window. */
const THIN = 20;
/** How much taller rows become at most where thin lanes leave room. */
const MOST_GROWTH = 1.5;
/** Height of the rows of lanes that are drawn as one, and of all of them at most. */
const FINE = 3;
const MOST_FINE = 36;
/** Limits of the heights that a person chooses for rows and curves, CSS px. */
const ROW_LIMITS: [number, number] = [4, 120];
const TRACK_LIMITS: [number, number] = [20, 400];
/** The key of the group of pinned lanes, which comes first. */
export const PINNED = "pinned";
/** Keys of the groups of workers, which hold other groups, begin with this. */
const WORKER = "worker:";

export interface Arrangement {
  collapsed: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  pinned: readonly string[];
  order: readonly string[];
  heights: Readonly<Record<string, number>>;
  filter: Filter;
  /** Keys of lanes without a slice in the window, which are thin. */
  empty: ReadonlySet<string>;
  /** Height of the canvas, px; the room that thin lanes leave goes to the rows of the others. */
  room: number;
}

export function place(layout: Layout, arrangement: Arrangement): Placement {
  const usual = placeAll(layout, { ...arrangement, empty: new Set() });
  const thin = arrangement.empty.size ? placeAll(layout, arrangement) : usual;
  if (thin.height === usual.height) return usual;
  const spare = Math.min(arrangement.room, usual.height) - thin.height;
  const { placed, height } =
    spare > 0 ? placeAll(layout, arrangement, growth(thin.placed, arrangement, spare)) : thin;
  return new Placement(placed, height, usual);
}

/** How much taller rows become that share some room. */
function growth(placed: readonly Placed[], { empty, heights }: Arrangement, spare: number): number {
  let rows = 0;
  for (const item of placed) {
    if (item.type !== "lane" || empty.has(item.lane.key) || heights[item.lane.key]) continue;
    rows += item.depths * item.rowHeight;
  }
  return rows ? Math.min(MOST_GROWTH, 1 + spare / rows) : 1;
}

function placeAll(layout: Layout, arrangement: Arrangement, grown = 1): Placement {
  const { collapsed, hidden, pinned, order, heights, empty } = arrangement;
  const placed: Placed[] = [];
  let y = 0;
  const put = (item: Placed) => {
    placed.push(item);
    y += item.height;
  };
  const putGroup = (group: Group, members: readonly (Lane | Track)[], pinned?: true) => {
    if (members.length === 0) return;
    const mark = pinned && { pinned };
    const lanes = members.filter((member) => "first_row" in member);
    const own = group.as_lane ? layout.lanes.filter((lane) => lane.group === group.key) : [];
    // Lanes that a filter keeps are shown each.
    const open = own.some((lane) => !passes(lane, arrangement.filter));
    const closed = collapsed.has(group.key) && !open;
    // With a lane hidden or pinned, rows in between would belong to lanes that are not shown.
    if (closed && group.as_lane && lanes.length === own.length) {
      const lane = placeMerged(group, lanes, y, heights[group.key], grown);
      put(empty.has(group.key) ? thinned(lane) : lane);
      return;
    }
    put({ type: "group", group, y, height: GROUP_HEIGHT, collapsed: closed, ...mark });
    if (closed) return;
    for (const member of members) {
      const chosen = heights[member.key];
      if ("first_row" in member) {
        const folded = collapsed.has(member.key);
        const isThin = empty.has(member.key) && chosen === undefined && !pinned;
        const lane = placeLane(member, y, folded, chosen, grown);
        put({ ...(isThin ? thinned(lane) : lane), ...mark });
      } else put({ type: "track", track: member, y, height: trackHeight(chosen), ...mark });
    }
  };
  const members = [...layout.lanes, ...layout.tracks].filter(
    (member) =>
      !hidden.has(member.key) && !hidden.has(member.group) && passes(member, arrangement.filter),
  );
  const byKey = new Map(members.map((member) => [member.key, member]));
  const first = pinned.flatMap((key) => byKey.get(key) ?? []);
  const detail = first.length === 1 ? "1 lane" : `${first.length} lanes`;
  putGroup({ key: PINNED, label: "Pinned", detail }, first, true);
  const rest = new Map<string, (Lane | Track)[]>();
  const away = new Set(pinned);
  for (const member of members) {
    if (away.has(member.key)) continue;
    const own = rest.get(member.group);
    if (own) own.push(member);
    else rest.set(member.group, [member]);
  }
  const putGroups = (groups: readonly Group[]) => {
    for (const group of inOrder(groups, order))
      putGroup(group, inOrder(rest.get(group.key) ?? [], order));
  };
  putGroups(layout.groups.filter(({ key, within }) => !within && !key.startsWith(WORKER)));
  // The groups of a worker stay under its band.
  for (const worker of layout.groups.filter(({ key }) => key.startsWith(WORKER))) {
    const closed = collapsed.has(worker.key);
    put({ type: "group", group: worker, y, height: GROUP_HEIGHT, collapsed: closed });
    if (!closed) putGroups(layout.groups.filter(({ within }) => within === worker.key));
  }
  return new Placement(placed, y);
}

/**
 * @param chosen - the height of a row that a person has chosen
 * @param grown - how much taller rows are than usual
 */
function placeLane(
  lane: Lane,
  y: number,
  collapsed: boolean,
  chosen: number | undefined,
  grown = 1,
): PlacedLane {
  const usual = usualRows(lane);
  const wanted = chosen === undefined ? usual.rowHeight * grown : within(chosen, ROW_LIMITS);
  // Rows have whole heights, so that their edges are sharp; only their distances vary.
  const rowHeight = Math.floor(wanted);
  const rowPitch = wanted + usual.rowPitch - usual.rowHeight;
  const depths = collapsed ? Math.min(1, lane.depths) : lane.depths;
  const used = Math.max(0, (depths - 1) * rowPitch + rowHeight);
  const height = Math.round(used) + 2 * PADDING;
  return { type: "lane", lane, y, height, depths, rowHeight, rowPitch, collapsed };
}

/** A lane without a slice in the window: its name and where the next slice is. */
function thinned(lane: PlacedLane): PlacedLane {
  if (lane.height <= THIN + 4) return lane;
  const rowPitch = (THIN - 2 * PADDING) / lane.depths;
  return { ...lane, height: THIN, rowHeight: 1, rowPitch };
}

/** The lanes of a collapsed group as one. */
function placeMerged(
  group: Group,
  merged: readonly Lane[],
  y: number,
  chosen: number | undefined,
  grown: number,
): PlacedLane {
  const sum = (field: "depths" | "slices" | "moved") =>
    merged.reduce((total, lane) => total + lane[field], 0);
  const first = merged[0] as Lane;
  const own = { key: group.key, group: group.key, label: group.label, detail: group.detail };
  const counts = { depths: sum("depths"), slices: sum("slices"), moved: sum("moved") };
  const lane = { ...first, ...own, ...counts, tid: null, stream: null, folded: "" };
  const fine = Math.min(FINE, MOST_FINE / lane.depths) * grown;
  const placed = placeLane(lane, y, false, undefined);
  const rowPitch = chosen === undefined ? fine : within(chosen, ROW_LIMITS) + 1;
  const rowHeight = Math.max(1, Math.floor(rowPitch));
  const height = Math.max(STREAM.rowHeight, Math.round(lane.depths * rowPitch)) + 2 * PADDING;
  return { ...placed, merged, height, rowHeight, rowPitch, collapsed: true };
}

function usualRows({ kind }: Lane): typeof HOST {
  return kind === "stream" ? STREAM : HOST;
}

function trackHeight(chosen: number | undefined): number {
  return chosen === undefined ? TRACK_HEIGHT : Math.round(within(chosen, TRACK_LIMITS));
}

function within(chosen: number, [least, most]: readonly [number, number]): number {
  return Math.max(least, Math.min(chosen, most));
}

/** The height of a row at which a lane has the given height; for a curve, its own height. */
export function rowHeightFor(member: Member, height: number): number {
  if (member.type === "track") return within(height, TRACK_LIMITS);
  const { rowHeight, rowPitch } = usualRows(member.lane);
  const room = height - 2 * PADDING;
  const apart = rowPitch - rowHeight;
  return within((room - (member.depths - 1) * apart) / Math.max(1, member.depths), ROW_LIMITS);
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
