/** Arranges the lanes: which are shown, folded and pinned, and how far they are scrolled. */
import type { Filter } from "../../../core/protocol/protocol";
import { sameValue } from "../../../core/state/equality";
import type { Lane, Layout } from "../data/messages";
import type { StateHolder } from "./holder";
import { bandBottom, GROUP_HEIGHT, Placement, place } from "./placement";
import type { Placed } from "./types";

/** Space between the edge and a row that was scrolled to, px; a band may cover it. */
const SCROLL_ROOM = 24;

export class Arranger {
  rows = new Placement([], 0);
  scrollTop = 0;
  #size = { width: 0, height: 0 };
  #arranged: unknown[] = [];
  /** The parts of the filter that decide about lanes, as of the last placement. */
  #lanes: unknown;
  #folded = new Set<string>();
  /** A row to scroll to once the canvas is laid out. */
  #awaited: number | null = null;

  constructor(
    private readonly state: StateHolder,
    private readonly filter: () => Filter,
  ) {}

  /** Size of the lanes' canvas, CSS px. */
  get size(): { width: number; height: number } {
    return this.#size;
  }

  /** The visible items, with `y` from the top of the canvas. */
  get onScreen(): Placed[] {
    return this.rows.onScreen(this.scrollTop, this.#size.height);
  }

  /** The visible lanes between two heights on the canvas, in either order. */
  lanesBetween(one: number, other: number): Lane[] {
    const covered = bandBottom(this.onScreen);
    const bottom = Math.max(one, other);
    if (bottom < covered) return [];
    const top = Math.max(Math.min(one, other), covered);
    return this.rows.lanesBetween(this.scrollTop + top, this.scrollTop + bottom);
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
    const { layout, collapsed, hidden, pinned } = this.state.now;
    if (!layout) return;
    const filter = this.filter();
    const { threads, devices, streams } = filter;
    const lanes = [threads, devices, streams];
    const arranged = [layout, collapsed, hidden, pinned];
    const same = arranged.every((part, at) => part === this.#arranged[at]);
    if (same && sameValue(lanes, this.#lanes)) return;
    this.#arranged = arranged;
    this.#lanes = lanes;
    this.rows = place(layout, { collapsed, hidden, pinned, filter });
    this.scrollTo(this.scrollTop);
    this.state.changed();
  }

  toggleCollapsed(key: string): void {
    this.state.set({ collapsed: toggled(this.state.now.collapsed, key) });
    this.update();
    // A band at the top stays there when its lanes are collapsed.
    const band = this.rows.placed.find((item) => item.type === "group" && item.group.key === key);
    if (band && band.y < this.scrollTop) this.scrollTo(band.y);
  }

  /** Collapse, once, what is collapsed by default; what the user opens stays open. */
  fold({ groups, lanes }: Layout): void {
    const closed = [...groups.filter((group) => group.collapsed), ...lanes.filter(isFolded)];
    const fresh = closed.map(({ key }) => key).filter((key) => !this.#folded.has(key));
    for (const key of fresh) this.#folded.add(key);
    this.state.set({ collapsed: new Set([...this.state.now.collapsed, ...fresh]) });
  }

  collapseAll(collapsed: boolean): void {
    const keys = this.state.now.layout?.lanes.map((lane) => lane.key) ?? [];
    const { collapsed: before } = this.state.now; // collapsed groups stay collapsed
    this.state.set({ collapsed: new Set(collapsed ? [...before, ...keys] : []) });
    this.update();
  }

  toggleHidden(key: string): void {
    this.state.set({ hidden: toggled(this.state.now.hidden, key) });
    this.update();
  }

  togglePinned(key: string): void {
    const { pinned } = this.state.now;
    const without = pinned.filter((other) => other !== key);
    this.state.set({ pinned: without.length < pinned.length ? without : [...pinned, key] });
    this.update();
  }

  showAll(): void {
    this.state.set({ hidden: new Set() });
    this.update();
  }

  /** Make a row visible: show and expand its lane, and scroll to it. */
  revealRow(row: number): void {
    this.#uncover(row);
    const box = this.rows.boxOfRow(row);
    if (!box) return;
    const { height } = this.#size;
    this.#awaited = height > 0 ? null : row;
    if (height <= 0) return;
    const end = this.scrollTop + height;
    const band = this.rows.goesOn(end) ? GROUP_HEIGHT : 0;
    if (box.top < this.scrollTop + GROUP_HEIGHT) this.scrollTo(box.top - SCROLL_ROOM);
    else if (box.bottom > end - band) this.scrollTo(box.bottom - height + SCROLL_ROOM);
  }

  #uncover(row: number): void {
    const { layout, collapsed, hidden } = this.state.now;
    const lane = layout?.lanes.find((l) => row >= l.first_row && row < l.first_row + l.depths);
    if (!lane || this.rows.laneOfRow(row)) return;
    const keys = [lane.key, lane.group];
    const rest = (set: ReadonlySet<string>) => new Set([...set].filter((k) => !keys.includes(k)));
    this.state.set({ collapsed: rest(collapsed), hidden: rest(hidden) });
    this.update();
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
