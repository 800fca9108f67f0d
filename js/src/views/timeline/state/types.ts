/** Types that the parts of the timeline share; those of replies are in `messages.ts`. */

import type { Category } from "../../../canvas/categories";
import type { Palette } from "../../../canvas/palette";
import type { Key } from "../../../core/state/traits";
import type {
  Arrow,
  Compared,
  FlowKind,
  Found,
  Group,
  Lane,
  Layout,
  SliceDetails,
  SliceRef,
  Step,
  Track,
  WindowInfo,
} from "../data/messages";
import type { NoteBook, NoteDraft, NoteMark } from "../notes/note";

/** The minimap: one entry per column and band with activity. */
export interface Minimap {
  columns: number;
  bands: { group: string; label: string }[];
  band: Int32Array;
  column: Int32Array;
  category: Uint8Array;
  /** The busy share of the column, 0 to 1. */
  share: Float32Array;
}

/**
 * The slices of one row, disjoint and sorted by start. Entries that stand for several slices are
 * blocks: `block` has their indices, ascending, and `block_name`, `count` and `busy_ns` belong to those.
 */
export interface RowItems {
  row: number;
  start: Float64Array;
  width: Float64Array;
  /** Slice id; for a block, that of its first slice. */
  slice: Int32Array;
  /** Index in `WindowInfo.names`, -1 for blocks. */
  name: Int32Array;
  /** Code in `CATEGORIES`; for a block, the category with the most time. */
  category: Uint8Array;
  block: Uint32Array;
  /** Index in `WindowInfo.names` of the name with the most time, -1 for none. */
  block_name: Int32Array;
  count: Uint32Array;
  busy_ns: Float64Array;
}

/** A curve reduced to pixel columns: the first, last, least and greatest value of each. */
export interface TrackItems {
  key: string;
  /** Start of each column; columns without a change are left out. */
  time: Float64Array;
  first: Float64Array;
  last: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** One decoded reply: the slices and curves of a window. */
export interface Level {
  info: WindowInfo;
  rows: ReadonlyMap<number, RowItems>;
  tracks: ReadonlyMap<string, TrackItems>;
  /** Sets for fast tests of `info.matches` and `info.dimmed`. */
  matches: ReadonlySet<number>;
  dimmed: ReadonlySet<number>;
}

/** A lane at its position; `y` is from the top of the canvas or of the scrolled area. */
export interface PlacedLane {
  type: "lane";
  /** Stays at the top of the canvas while others scroll. */
  pinned?: true;
  lane: Lane;
  /** The lanes of a collapsed group that is drawn as this lane. */
  merged?: readonly Lane[];
  y: number;
  height: number;
  /** Number of rows shown: all, or 1 when collapsed. */
  depths: number;
  rowHeight: number;
  rowPitch: number;
  collapsed: boolean;
}
export interface PlacedTrack {
  type: "track";
  pinned?: true;
  track: Track;
  y: number;
  height: number;
}
export interface PlacedGroup {
  type: "group";
  pinned?: true;
  group: Group;
  y: number;
  height: number;
  collapsed: boolean;
}
export type Placed = PlacedLane | PlacedTrack | PlacedGroup;

export interface View {
  start_ns: number;
  end_ns: number;
}

/** A range of time over some lanes. */
export interface Area {
  start_ns: number;
  end_ns: number;
  /** Keys of lanes; empty for all. */
  lanes: string[];
}

/** The item under the pointer: a slice, a block, or an empty place of a lane. */
export interface Hit {
  lane: Lane;
  row: number;
  time_ns: number;
  slice: SliceRef | null;
  name: string;
  category: Category | null;
  /** The extent of the slice or block; null on an empty place. */
  span: View | null;
  /** 1 for a slice, 0 on an empty place. */
  count: number;
  busy_ns: number;
}

/** Everything one frame of the lanes shows. */
export interface Scene {
  /** CSS pixels. */
  width: number;
  height: number;
  view: View;
  placed: readonly Placed[];
  /** Coarse first; a later level replaces earlier ones where it has data. */
  levels: readonly Level[];
  palette: Palette;
  steps: readonly Step[];
  hovered: SliceRef | null;
  selected: SliceRef | null;
  area: Area | null;
  /** The time that the filter keeps, of a lane's group; the rest is faded. */
  filtered: (group: string) => View | null;
  /** The steps of the worker of a group. */
  stepsOf: (group: string) => readonly Step[];
  /** Codes of the categories that the filter's kinds exclude. */
  dimmedCategories: ReadonlySet<number>;
  measure: { from_ns: number; to_ns: number } | null;
  /** Arrows of the selected slice, and arrows of whole kinds. */
  arrows: readonly Arrow[];
  flows: readonly Arrow[];
  /** Where two runs are aligned. */
  aligned?: Compared | undefined;
  searching: boolean;
  notes?: readonly NoteMark[];
}

/** The state that the panel's parts read. Values are replaced, never mutated. */
export interface TimelineState {
  layout: Layout | null;
  minimap: Minimap | null;
  view: View;
  /** The item under the pointer or keyboard cursor. */
  hovered: Hit | null;
  /** Position of the pointer, CSS px from the top left of the lanes' canvas. */
  pointer: { x: number; y: number } | null;
  /** Upper and lower edge of the lane under the pointer, from the top of the canvas. */
  hoverBox?: { top: number; bottom: number } | null;
  selected: SliceRef | null;
  details: SliceDetails | null;
  /** The clicked block; while there is one, no slice is selected. */
  block?: Hit | null;
  area: Area | null;
  measuring: boolean;
  measure: { from_ns: number; to_ns: number } | null;
  search: string;
  /** The pattern of the names that are selected, whose slices are marked; empty for none. */
  named: string;
  found: Found | null;
  /** Why the search failed, such as an invalid pattern. */
  findError?: Error | null;
  collapsed: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  pinned: readonly string[];
  /** Keys of lanes and groups that come first. */
  order: readonly string[];
  /** Heights of rows and curves that a person has chosen, CSS px. */
  heights: Readonly<Record<string, number>>;
  /** Keys of lanes that have had no slice in the window for a moment, which are thin. */
  empty: ReadonlySet<string>;
  /** Why not everything is shown, such as without a kernel; empty otherwise. */
  leftOut: string;
  helpOpen: boolean;
  /** The kinds of arrows that are switched on, and those of the window. */
  flows?: ReadonlySet<FlowKind>;
  flowArrows?: readonly Arrow[];
  /** The note that is being written. */
  noting?: NoteDraft | null;
}

/** The lanes with their positions, and the actions on them. */
export interface Lanes {
  readonly scrollTop: number;
  /** Size of the canvas, CSS px. */
  readonly size: { width: number; height: number };
  /** All items, with `y` from the top of the scrolled area. */
  readonly rows: { readonly placed: readonly Placed[]; readonly height: number };
  /** The visible items, with `y` from the top of the canvas. */
  readonly onScreen: readonly Placed[];
  /** The position of an item on the canvas, also of one out of sight. */
  canvasY(item: Placed): number;
  scrollTo(top: number): void;
  /** Make an item visible. */
  reveal(item: Placed): void;
  toggleCollapsed(key: string): void;
  collapseAll(collapsed: boolean): void;
  toggleHidden(key: string): void;
  togglePinned(key: string): void;
  showAll(): void;
  /** Move a lane or a group before one of its siblings, or after all. */
  move(key: string, before: string | null): void;
  /**
   * Set the height of a lane's rows or of a curve; null for the usual one.
   *
   * @param keep - false while it is being dragged
   */
  resize(key: string, height: number | null, keep?: boolean): void;
}

/** The actions that the panel's parts may call. */
export interface Timeline {
  readonly state: TimelineState;
  subscribe(listener: () => void): void;
  setView(view: View): void;
  zoom(factor: number, at_ns?: number): void;
  /** Pan by a share of the window's length. */
  pan(share: number): void;
  fit(): void;
  /** Show a range with a margin. */
  zoomTo(range: View): void;
  /** Zoom to the selected slice, block or area. */
  zoomToSelection(): void;
  /** Make a slice visible, zooming only if needed, and select it. */
  goTo(target: SliceRef): void;
  /** @param block - a block that is selected instead of a slice */
  select(target: SliceRef | null, block?: Hit | null): void;
  selectArea(area: Area | null): void;
  /** Filter to the selected area, or remove that filter. */
  filterToArea(): void;
  setSearch(text: string): void;
  findNext(direction: 1 | -1): void;
  follow(kind: SliceDetails["follow"][number]["kind"]): void;
  toggleMeasure(): void;
  toggleHelp(): void;
  /** Restore the default order, visibility and height of the lanes. */
  resetLanes(): void;
  readonly lanes: Lanes;
  setGroupBy(group_by: string): void;
  readonly flows: { toggle(kind: FlowKind): void };
  readonly notes: NoteBook;
  /** The `selection` trait for a slice or an area. */
  selectionKeys(): Key[];
}
