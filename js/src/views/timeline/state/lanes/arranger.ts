/** `Arranger`: keeps which lanes are shown, folded, pinned and resized, and how far they are scrolled. */
import type { Filter } from "../../../../core/protocol/protocol";
import { sameValue } from "../../../../core/state/equality";
import type { LaneArrangement } from "../../../../core/state/traits";
import type { Lane } from "../../data/messages";
import type { StateHolder } from "../holder";
import type { Lanes, Placed } from "../types";
import { PINNED, place } from "./arrangement";
import { reordered, siblingsOf, withMoved } from "./laneorder";
import { bandBottom, GROUP_HEIGHT, lanesOf, Placement, pinnedBottom } from "./placement";

/** Space between the edge and a row that was scrolled to, px; a band may cover it. */
const SCROLL_ROOM = 24;

export class Arranger implements Lanes {
  rows = new Placement([], 0);
  scrollTop = 0;
  #size = { width: 0, height: 0 };
  #arranged: unknown[] = [];
  /** The parts of the filter that decide about lanes, as of the last placement. */
  #lanes: unknown;
  /** Items that the user has collapsed, or opened although they are collapsed by default. */
  #chosen: Readonly<Record<string, boolean>> = {};
  /** A row to scroll to once the canvas is laid out. */
  #awaited: number | null = null;

  /** @param write - stores the user's arrangement */
  constructor(
    private readonly state: StateHolder,
    private readonly filter: () => Filter,
    private readonly write: (lanes: LaneArrangement) => void = () => {},
  ) {}

  /** Size of the lanes' canvas, CSS px. */
  get size(): { width: number; height: number } {
    return this.#size;
  }

  /** The visible items, with `y` from the top of the canvas. */
  get onScreen(): Placed[] {
    return this.rows.onScreen(this.scrollTop, this.#size.height);
  }

  /** The position of an item on the canvas, also of one out of sight. */
  canvasY(item: Placed): number {
    return this.rows.canvasY(item, this.scrollTop, this.#size.height);
  }

  /** The visible lanes between two heights on the canvas, in either order. */
  lanesBetween(one: number, other: number): Lane[] {
    const { onScreen } = this;
    const covered = bandBottom(onScreen);
    const bottom = Math.max(one, other);
    const start = Math.min(one, other);
    const pinned = onScreen.flatMap((item) =>
      item.pinned && item.type === "lane" && item.y <= bottom && item.y + item.height > start
        ? lanesOf(item)
        : [],
    );
    if (bottom < covered) return pinned;
    const top = this.scrollTop + Math.max(start, covered);
    return [...pinned, ...this.rows.lanesBetween(top, this.scrollTop + bottom)];
  }

  setSize(width: number, height: number): void {
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.scrollTo(this.scrollTop);
    if (this.#awaited !== null) this.revealRow(this.#awaited);
    this.state.changed();
  }

  scrollTo(top: number): void {
    const most = Math.max(0, this.rows.height - this.#size.height);
    const next = Math.max(0, Math.min(Math.round(top), most));
    if (next === this.scrollTop) return;
    this.scrollTop = next;
    this.state.changed();
  }

  /** Place the lanes again if anything that they depend on has changed. */
  update(): void {
    const { layout, collapsed, hidden, pinned, order, heights, empty } = this.state.now;
    if (!layout) return;
    const filter = this.filter();
    const { threads, devices, streams } = filter;
    const lanes = [threads, devices, streams];
    const room = empty.size ? this.#size.height : 0;
    const arranged = [layout, collapsed, hidden, pinned, order, heights, empty, room];
    const same = arranged.every((part, at) => part === this.#arranged[at]);
    if (same && sameValue(lanes, this.#lanes)) return;
    this.#arranged = arranged;
    this.#lanes = lanes;
    this.rows = place(layout, { collapsed, hidden, pinned, order, heights, filter, empty, room });
    this.scrollTo(this.scrollTop);
    this.state.changed();
  }

  /** Apply an arrangement that was made elsewhere, such as in Python. */
  take({ order = [], hidden = [], pinned = [], collapsed = {}, heights = {} }: LaneArrangement) {
    this.#chosen = collapsed;
    this.state.set({ order, hidden: new Set(hidden), pinned, heights });
    this.fold();
    this.update();
  }

  /** Set which lanes have no slice in the window; the lane at the pointer stays there if it can. */
  setEmpty(empty: ReadonlySet<string>): void {
    const pointed = this.state.now.hovered?.lane.key;
    const lanes = this.onScreen.filter((item) => !item.pinned && item.type === "lane");
    const kept =
      lanes.find((item) => item.type === "lane" && item.lane.key === pointed) ??
      lanes.find((item) => item.type === "lane" && !empty.has(item.lane.key));
    this.state.set({ empty });
    this.update();
    if (kept?.type !== "lane") return;
    const now = this.rows.placed.find(
      (item) => !item.pinned && item.type === "lane" && item.lane.key === kept.lane.key,
    );
    if (now) this.scrollTo(this.scrollTop + this.canvasY(now) - kept.y);
  }

  toggleCollapsed(key: string): void {
    this.#choose({ [key]: !this.state.now.collapsed.has(key) });
    // If the band of the group is at the top, it stays there after collapsing.
    const band = this.rows.placed.find((item) => item.type === "group" && item.group.key === key);
    const edge = pinnedBottom(this.onScreen);
    if (band && !band.pinned && this.canvasY(band) < edge) this.scrollTo(band.y - edge);
  }

  collapseAll(collapsed: boolean): void {
    const { layout, collapsed: now } = this.state.now;
    const { groups = [], lanes = [] } = layout ?? {};
    const folding = lanes.filter(({ depths }) => depths > 1);
    const asLanes = groups.filter((group) => group.as_lane);
    const changing = [...(collapsed ? asLanes : groups), ...folding];
    const keys = changing.flatMap(({ key }) => (now.has(key) === collapsed ? [] : [key]));
    this.#choose(Object.fromEntries(keys.map((key) => [key, collapsed])));
  }

  toggleHidden(key: string): void {
    this.#set({ hidden: toggled(this.state.now.hidden, key) });
  }

  togglePinned(key: string): void {
    const { pinned } = this.state.now;
    const without = pinned.filter((other) => other !== key);
    this.#set({ pinned: without.length < pinned.length ? without : [...pinned, key] });
  }

  showAll(): void {
    const { layout, hidden } = this.state.now;
    const { groups = [], lanes = [], tracks = [] } = layout ?? {};
    const here = new Set([...groups, ...lanes, ...tracks].map(({ key }) => key));
    this.#set({ hidden: new Set([...hidden].filter((key) => !here.has(key))) });
  }

  /** Move a lane or a group before one of its siblings, or after all. */
  move(key: string, before: string | null): void {
    const { layout, pinned, order } = this.state.now;
    if (!layout || key === before) return;
    if (pinned.includes(key)) this.#set({ pinned: withMoved(pinned, key, before) });
    else this.#set({ order: reordered(order, siblingsOf(layout, key), key, before) });
  }

  resize(key: string, height: number | null, keep = true): void {
    const heights = { ...this.state.now.heights };
    if (height === null) delete heights[key];
    else heights[key] = Math.round(height * 10) / 10;
    this.state.set({ heights });
    this.update();
    if (keep) this.#write();
  }

  reset(): void {
    this.take({});
    this.#write();
  }

  /** Collapse items that are collapsed by default or by choice. */
  fold(): void {
    const { layout } = this.state.now;
    const { groups = [], lanes = [] } = layout ?? {};
    const usual = [...groups.filter((group) => group.collapsed), ...lanes.filter(isFolded)];
    const collapsed = new Set(usual.map(({ key }) => key));
    for (const [key, closed] of Object.entries(this.#chosen))
      if (closed) collapsed.add(key);
      else collapsed.delete(key);
    this.state.set({ collapsed });
  }

  /** Make a row visible: show and expand its lane, and scroll to it. */
  revealRow(row: number): void {
    this.#uncover(row);
    const lane = this.rows.laneOfRow(row);
    const box = this.rows.boxOfRow(row);
    if (!box) return;
    this.#awaited = this.#size.height > 0 ? null : row;
    this.#reveal(box, lane?.pinned ?? false);
  }

  /** Make a lane, a curve or a group visible. */
  reveal(item: Placed): void {
    this.#reveal({ top: item.y, bottom: item.y + item.height }, item.pinned ?? false);
  }

  #reveal(box: { top: number; bottom: number }, pinned: boolean): void {
    const { height } = this.#size;
    if (height <= 0) return;
    const end = this.scrollTop + height;
    const held = this.rows.held(height);
    if (pinned) {
      // As many pinned items as fit stay; the others scroll.
      const shift = this.rows.edge(0, height) - this.rows.edge(this.scrollTop, height);
      if (box.top < shift) this.scrollTo(box.top);
      else if (box.bottom - shift > height) this.scrollTo(box.bottom - height);
      return;
    }
    const band = this.rows.goesOn(end) ? GROUP_HEIGHT : 0;
    if (box.top < this.scrollTop + held + GROUP_HEIGHT) this.scrollTo(box.top - held - SCROLL_ROOM);
    else if (box.bottom > end - band) this.scrollTo(box.bottom - height + SCROLL_ROOM);
  }

  #uncover(row: number): void {
    const { layout, collapsed, hidden, pinned } = this.state.now;
    const lane = layout?.lanes.find((l) => row >= l.first_row && row < l.first_row + l.depths);
    if (!lane || this.rows.laneOfRow(row)) return;
    const worker = layout?.groups.find(({ key }) => key === lane.group)?.within ?? "";
    const keys = [lane.key, pinned.includes(lane.key) ? PINNED : lane.group, worker];
    if ([lane.key, lane.group].some((key) => hidden.has(key)))
      this.#set({ hidden: without(hidden, [lane.key, lane.group]) });
    const closed = keys.filter((key) => collapsed.has(key));
    this.#choose(Object.fromEntries(closed.map((key) => [key, false])));
  }

  /** Collapse or open an item; items in their default state are not stored. */
  #choose(closed: Record<string, boolean>): void {
    if (!Object.keys(closed).length) return;
    const chosen = { ...this.#chosen, ...closed };
    const { groups = [], lanes = [] } = this.state.now.layout ?? {};
    for (const group of groups)
      if (chosen[group.key] === (group.collapsed ?? false)) delete chosen[group.key];
    for (const lane of lanes) if (chosen[lane.key] === isFolded(lane)) delete chosen[lane.key];
    if (chosen[PINNED] === false) delete chosen[PINNED];
    this.#chosen = chosen;
    this.fold();
    this.update();
    this.#write();
  }

  #set(changes: Parameters<StateHolder["set"]>[0]): void {
    this.state.set(changes);
    this.update();
    this.#write();
  }

  /** Store only differences from the default. */
  #write(): void {
    const { order, hidden, pinned, heights } = this.state.now;
    const all = { order, hidden: [...hidden], pinned, collapsed: this.#chosen, heights };
    const set = Object.entries(all).filter(([, value]) => Object.keys(value).length);
    this.write(Object.fromEntries(set) as LaneArrangement);
  }
}

/** The visible rows and curves, and those near them. */
export function inSight({ rows, scrollTop: top, size: { width, height } }: Arranger) {
  const bottom = top + height;
  return {
    width,
    rows: rows.rowsBetween(top, bottom),
    nearRows: rows.rowsBetween(top - height, bottom + height),
    tracks: rows.tracksBetween(top, bottom),
    nearTracks: rows.tracksBetween(top - height, bottom + height),
  };
}

/** Whether only the first row of a lane is shown at first. */
function isFolded({ folded, depths }: Lane): boolean {
  return folded !== undefined && folded !== "" && depths > 1;
}

function toggled(keys: ReadonlySet<string>, key: string): Set<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}

function without(keys: ReadonlySet<string>, gone: readonly string[]): Set<string> {
  return new Set([...keys].filter((key) => !gone.includes(key)));
}
