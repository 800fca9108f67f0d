/** What the parts of the timeline hand to each other; what comes from Python is in `messages.ts`. */
import type { Category } from "../../../canvas/categories";
import type { Palette } from "../../../canvas/palette";
import type { Key } from "../../../core/session";
import type {
  Arrow,
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

/** The minimap: one entry a column and band in which something ran. */
export interface Minimap {
  columns: number;
  bands: { group: string; label: string }[];
  band: Int32Array;
  column: Int32Array;
  category: Uint8Array;
  /** 0 to 1: how much of the column is busy. */
  share: Float32Array;
}

/**
 * The slices of one row, by start, disjoint. Entries that stand for several slices are blocks: their
 * positions are in `block`, ascending, and `count` and `busy_ns` belong to those.
 */
export interface RowItems {
  row: number;
  start: Float64Array;
  width: Float64Array;
  /** Slice id, of a block that of its first slice. */
  slice: Int32Array;
  /** Index in `WindowInfo.names`, -1 for blocks. */
  name: Int32Array;
  /** Code in `CATEGORIES`; of a block the category with the most time. */
  category: Uint8Array;
  block: Uint32Array;
  count: Uint32Array;
  busy_ns: Float64Array;
}

/** A curve as the screen shows it: by column its first, last, smallest and largest value. */
export interface TrackItems {
  key: string;
  /** Where each column starts; columns in which nothing changes are left out. */
  time: Float64Array;
  first: Float64Array;
  last: Float64Array;
  low: Float64Array;
  high: Float64Array;
}

/** One decoded answer: what can be drawn of a window. */
export interface Level {
  info: WindowInfo;
  rows: ReadonlyMap<number, RowItems>;
  tracks: ReadonlyMap<string, TrackItems>;
  /** Sets for fast tests of `info.matches` and `info.dimmed`. */
  matches: ReadonlySet<number>;
  dimmed: ReadonlySet<number>;
}

/** A lane or track as it is placed in the scrolled area; `y` is from the top of the canvas. */
export interface PlacedLane {
  type: "lane";
  lane: Lane;
  y: number;
  height: number;
  /** Rows shown of it: all, or 1 when it is collapsed. */
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
  /** From where to where the slice or block goes; null on an empty place. */
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
  /** Coarse first; a later level is drawn in place of earlier ones where it answers. */
  levels: readonly Level[];
  palette: Palette;
  steps: readonly Step[];
  hovered: SliceRef | null;
  selected: SliceRef | null;
  area: Area | null;
  /** `filter.time_us` in ns: what lies outside is veiled. */
  filtered: View | null;
  /** Codes of categories that the filter's kinds leave out. */
  dimmedCategories: ReadonlySet<number>;
  measure: { from_ns: number; to_ns: number } | null;
  arrows: readonly Arrow[];
  searching: boolean;
}

/** What the panel's parts read. Everything is replaced, never changed in place. */
export interface TimelineState {
  layout: Layout | null;
  minimap: Minimap | null;
  view: View;
  /** Of the pointer or of the keyboard. */
  hovered: Hit | null;
  /** Where the pointer is, CSS px from the top left of the lanes' canvas. */
  pointer: { x: number; y: number } | null;
  /** Upper and lower edge of the lane that the pointer is over, from the top of the canvas. */
  hoverBox?: { top: number; bottom: number } | null;
  selected: SliceRef | null;
  details: SliceDetails | null;
  /** A block that was clicked; with one, no slice is selected. */
  block?: Hit | null;
  area: Area | null;
  measuring: boolean;
  measure: { from_ns: number; to_ns: number } | null;
  search: string;
  found: Found | null;
  /** Why it cannot be searched for, as where a pattern is none. */
  findError?: Error | null;
  collapsed: ReadonlySet<string>;
  hidden: ReadonlySet<string>;
  pinned: readonly string[];
  /** Why not everything can be seen: no kernel, only the snapshot. Empty otherwise. */
  leftOut: string;
  helpOpen: boolean;
}

/** What the panel's parts may do. */
export interface Timeline {
  readonly state: TimelineState;
  subscribe(listener: () => void): void;
  setView(view: View): void;
  zoom(factor: number, at_ns?: number): void;
  /** By a share of the window's length. */
  pan(share: number): void;
  fit(): void;
  /** Show a range with some room beside it. */
  zoomTo(range: View): void;
  /** To the selected slice, block or area. */
  zoomToSelection(): void;
  /** Bring a slice into sight, zooming only where it would not be seen, and select it. */
  goTo(target: SliceRef): void;
  /** @param block - what is pointed at instead of a slice */
  select(target: SliceRef | null, block?: Hit | null): void;
  selectArea(area: Area | null): void;
  /** Filter everything to the selected area, or take that filter back. */
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
  /** The `selection` trait for a slice or an area. */
  selectionKeys(): Key[];
}
