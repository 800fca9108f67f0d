/**
 * What Python answers about the timeline; `nbprof/widgets/requests/timeline.py` makes it.
 *
 * Times are nanoseconds from the trace's first event: whole numbers that a double holds exactly.
 * A *row* is one depth of one lane; rows are numbered through all lanes. A *slice id* is the row of
 * the host table, or the number of host rows plus the row of the device table.
 */
import type { Category } from "../../../canvas/categories";
import type { Catalog, TraceInfo } from "../../../core/protocol";

export type LaneKind = "thread" | "stream" | "module";

/** A process, a device or a part of the recorder; with lanes by module, a module. */
export interface Group {
  key: string;
  label: string;
  detail: string;
  /** Whether only its name is shown at first. */
  collapsed?: boolean;
}

export interface Lane {
  key: string;
  group: string;
  label: string;
  detail: string;
  kind: LaneKind;
  /** Number of its first row. */
  first_row: number;
  /** How many rows it has. */
  depths: number;
  slices: number;
  /** Slices that overlap others of the lane and were moved to rows of their own. */
  moved: number;
  /** What filters call it; null where that does not apply. */
  tid: number | null;
  device: number | null;
  stream: number | null;
}

/** A curve: steps of a value over time. */
export interface Track {
  key: string;
  group: string;
  label: string;
  detail: string;
  /** "%", "bytes" or "" for a count. */
  unit: string;
  low: number;
  high: number;
  device: number | null;
  stream: number | null;
}

export interface Step {
  step: number;
  /** As the host recorded it. */
  start_ns: number;
  end_ns: number;
  /** The extent of the device work that it launched. */
  device: { start_ns: number; end_ns: number } | null;
}

/** Reply to `timeline`: what there is to draw, whatever the window. Buffer 0 is the minimap. */
export interface Layout {
  group_by: string;
  start_ns: number;
  end_ns: number;
  host_rows: number;
  groups: Group[];
  lanes: Lane[];
  tracks: Track[];
  /** Empty where `prof.step()` was not called. */
  steps: Step[];
  slices: number;
  moved: number;
  minimap: { columns: number; bands: { group: string; label: string }[] };
  /** Why there is nothing to draw, where there is nothing; missing in older snapshots. */
  empty?: string;
}

/** Reply to `slices`. Buffer 0 holds the slices, one record a row; buffer 1 the tracks. */
export interface WindowInfo {
  start_ns: number;
  end_ns: number;
  /** Slices shorter than this that start in one column of this length are one block. */
  bin_ns: number;
  group_by: string;
  /** Ranges of rows that are answered, last exclusive. */
  rows: [number, number][];
  /** Names of this reply, and for each its colour slot (0 to 9) and its lightness step (0 to 3). */
  names: string[];
  slots: number[];
  shades: number[];
  /** Indices of names that the search finds. */
  matches: number[];
  /** Indices of names that the name filter leaves out. */
  dimmed: number[];
}

/** A slice somebody pointed at. */
export interface SliceRef {
  slice: number;
  row: number;
  start_ns: number;
  end_ns: number;
  /** As far as it is known without asking. */
  name?: string | undefined;
}

export interface Arrow {
  kind: "launch" | "fwdbwd" | "enqueue" | "operator" | "queue";
  from_row: number;
  from_ns: number;
  to_row: number;
  to_ns: number;
}

/** Reply to `slice`: all that is known of one slice. */
export interface SliceDetails {
  slice: number;
  side: "host" | "device";
  table_row: number;
  name: string;
  category: Category;
  lane: string;
  row: number;
  start_ns: number;
  end_ns: number;
  self_ns: number | null;
  /** Label, value as text, in the order to show. */
  facts: [string, string][];
  call_stack: string;
  /** Colour slot of the name, of slices that are coloured by name. */
  slot?: number | null;
  /** Where one can go from here. */
  follow: {
    kind:
      | "operator"
      | "queue"
      | "launch"
      | "kernel"
      | "backward"
      | "forward"
      | "parent"
      | "previous"
      | "next";
    label: string;
    target: SliceRef;
  }[];
  arrows: Arrow[];
}

/** Reply to `find`. */
export interface Found {
  count: number;
  /** Place of the hit among all, from 1; 0 without a hit. */
  index: number;
  hit: SliceRef | null;
  /** Columns of the minimap that hold matches. */
  columns: number[];
}

/**
 * What the `timeline_snapshot` trait says of itself, as JSON in its schema metadata `nbprof`. The
 * trait's bytes have the form of buffer 0 of `slices`, over all of the trace and all rows.
 */
export interface SnapshotInfo {
  /** Run, worker and span, as in `Session.traceKey`. */
  key: [string, string, number];
  layout: Layout;
  info: WindowInfo;
  /** Base64 of buffer 0 of `timeline`. */
  minimap: string;
  /** Base64 of buffer 1 of `slices`, with all tracks. */
  tracks: string;
  catalog: Catalog;
  trace: TraceInfo;
  /** What it leaves out, in words; empty where every slice is in it. */
  left_out: string;
}
