/** The traits of the model that the browser reads and writes, each with its type. */
import type { UnitChoice } from "../../values/format";
import type { Baseline, Filter } from "../protocol/protocol";
import type { ThemeWish } from "../theme";
import type { ViewInfo } from "../views/viewinfo";

export type Key = Record<string, string | number | boolean | null>;

/** Keys are those of lanes, curves and groups; missing keys have the default. */
export interface LaneArrangement {
  /** Members that come first in their group, and groups that come first, in this order. */
  order?: string[];
  hidden?: string[];
  pinned?: string[];
  /** Whether a lane or a group is collapsed, where this differs from the default. */
  collapsed?: Record<string, boolean>;
  /** Height of a lane's rows, or of a curve, CSS px. */
  heights?: Record<string, number>;
}

/** A step, or an occurrence of a name, in a step if one is given; without fields the first step. */
export interface Align {
  step?: number;
  name?: string;
  /** Which occurrence, from 1. */
  nth?: number;
}

export interface Traits {
  run: string;
  worker: string;
  span: number;
  step: string;
  filter: Filter;
  active: string;
  group_by: string;
  selection: Key[];
  time_range: [number, number] | null;
  time_unit: UnitChoice;
  /** The number of slices of donuts and of bars by name; null for all. */
  top: number | null;
  theme: ThemeWish;
  views: string[];
  /** The description of each view, known before its script is loaded. */
  tabs: ViewInfo[];
  /** The part of the timeline on screen, in µs; null for all of it. */
  window: [number, number] | null;
  /** The name pattern that the timeline and the modules view highlight. */
  search: string;
  /** The workers below the one on screen in the timeline, and what clocks are aligned by. */
  timeline_workers: string[];
  timeline_clock: string;
  /** Notes on slices and ranges of the timeline. */
  notes: Key[];
  /** The trace that the one on screen is compared with; without fields for none. */
  baseline: Baseline;
  /** What two timelines are aligned at: a step, or an occurrence of a name. */
  timeline_align: Align;
  /** How a person has arranged the lanes of the timeline. */
  lanes: LaneArrangement;
  /** The height of the lanes of the timeline, CSS px; null for the usual one. */
  timeline_height: number | null;
  /** The widths of columns that the user chose, CSS px, by table and column. */
  column_widths: Record<string, Readonly<Record<string, number>>>;
  /** The grouping of PyTorch's table in the operators view; empty if it shows operators. */
  averages_by: string;
  /** The device whose memory is shown: its key, "all", or empty for the first. */
  memory_device: string;
  /** The source of the memory curve: operator or component. */
  memory_by: string;
  /** The brushed range of the memory curve, in µs. */
  memory_range: [number, number] | null;
  /** The measure of frame widths in the flame graph: auto, host, device or bytes. */
  flame_by: string;
  /** The order of its frames: left_heavy or time. */
  flame_order: string;
  /** The part of the flame graph on screen, in µs or bytes; null for all of it. */
  flame_range: [number, number] | null;
  /** The saved state for use without a kernel; empty until a view was shown. See `savedstate.ts`. */
  snapshot: DataView | null;
  /** The scripts that the saved state needs, by name, compressed with zlib; see `scripts.ts`. */
  _scripts: Record<string, DataView>;
  /** The id of this view in the kernel. */
  _connection: string;
}

const ALL: Record<keyof Traits, true> = {
  run: true,
  worker: true,
  span: true,
  step: true,
  filter: true,
  active: true,
  group_by: true,
  selection: true,
  time_range: true,
  time_unit: true,
  top: true,
  theme: true,
  views: true,
  tabs: true,
  window: true,
  search: true,
  timeline_workers: true,
  timeline_clock: true,
  baseline: true,
  timeline_align: true,
  notes: true,
  lanes: true,
  timeline_height: true,
  column_widths: true,
  averages_by: true,
  memory_device: true,
  memory_by: true,
  memory_range: true,
  flame_by: true,
  flame_order: true,
  flame_range: true,
  snapshot: true,
  _scripts: true,
  _connection: true,
};

export const TRAITS = Object.keys(ALL) as (keyof Traits)[];
