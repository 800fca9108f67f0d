/** Types that the parts of the timeline share; those of replies are in `messages.ts`. */
import type { Category } from "../../../canvas/categories";
import type { Palette } from "../../../canvas/palette";
import type { Key } from "../../../core/state/traits";
import type {
  Arrow,
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

/** One decoded reply: what can be drawn in a window. */
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
  lane: Lane;
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
  track: Track;
  y: number;
  height: number;
}
export interface PlacedGroup {
  type: "group";
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

/** What the pointer is over: a slice, a block, or an empty place of a lane. */
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
  /** `filter.time_us` in ns; the rest is faded. */
  filtered: View | null;
  /** Codes of the categories that the filter's kinds exclude. */
  dimmedCategories: ReadonlySet<number>;
  measure: { from_ns: number; to_ns: number } | null;
  /** Those of the selected slice, and those of whole kinds. */
  arrows: readonly Arrow[];
  flows: readonly Arrow[];
  searching: boolean;
}

/** The state that the panel's parts read. Values are replaced, never mutated. */
export interface TimelineState {
  layout: Layout | null;
  minimap: Minimap | null;
  view: View;
  /** What the pointer or the keyboard is on. */
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
  found: Found | null;
  /** Why the search failed, such as an invalid pattern. */
  findError?: Error | null;
  collapsed: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  pinned: readonly string[];
  /** Why not everything is shown, such as without a kernel; empty otherwise. */
  leftOut: string;
  helpOpen: boolean;
  /** The kinds of arrows that are switched on, and those of the window. */
  flows?: ReadonlySet<FlowKind>;
  flowArrows?: readonly Arrow[];
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
  toggleCollapsed(key: string): void;
  collapseAll(collapsed: boolean): void;
  toggleHidden(key: string): void;
  togglePinned(key: string): void;
  showAll(): void;
  setGroupBy(group_by: string): void;
  readonly flows: { toggle(kind: FlowKind): void };
  /** The `selection` trait for a slice or an area. */
  selectionKeys(): Key[];
}
