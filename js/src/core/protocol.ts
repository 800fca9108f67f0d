/** The messages between the browser and Python; mirrors nbprof/widgets/requests/protocol.py. */
import type { DrawingItem } from "../chart/drawing";

export const VERSION = 1;

export const OPS = [
  "hello",
  "catalog",
  "refresh",
  "trace",
  "overview",
  "charts",
  "page",
  "stacks",
  "csv",
  "bokehjs",
  "script",
  "timeline",
  "slices",
  "slice",
  "find",
  "area",
  "memory",
  "flame",
  "distributed",
] as const;
export type Op = (typeof OPS)[number];

const READS_A_FILE = 120_000;

/** Milliseconds without a word from Python after which a request is given up; progress is a word. */
export const TIMEOUTS: Record<Op, number> = {
  hello: 15_000,
  catalog: 60_000,
  refresh: 60_000,
  trace: READS_A_FILE,
  overview: READS_A_FILE,
  charts: READS_A_FILE,
  page: READS_A_FILE,
  stacks: READS_A_FILE,
  csv: READS_A_FILE,
  bokehjs: 60_000,
  script: 60_000,
  timeline: READS_A_FILE,
  slices: READS_A_FILE,
  slice: READS_A_FILE,
  find: READS_A_FILE,
  area: READS_A_FILE,
  memory: READS_A_FILE,
  flame: READS_A_FILE,
  distributed: READS_A_FILE,
};

/** A filter as plain values; only the fields that are set. */
export interface Filter {
  steps?: [number, number];
  time_us?: [number, number];
  name?: string;
  /** What launched the work: forms of a name, and "=aten::mm" for exactly that name. */
  within?: string;
  kinds?: string[];
  threads?: number[];
  devices?: number[];
  streams?: number[];
}

export interface State {
  run: string;
  worker: string;
  span: number;
  filter: Filter;
  /** Which annotations are the steps; empty for those that were recorded. */
  step: string;
}

export interface Request {
  v: number;
  id: number;
  op: Op;
  gen: number;
  params: Record<string, unknown>;
}

export interface Progress {
  text: string;
  done: number;
  total: number;
}

export interface WireError {
  type: string;
  message: string;
  hint: string;
  details: string;
}

export interface Answer {
  v: number;
  id: number | null;
  op?: Op;
  gen?: number;
  ok?: boolean;
  result?: Record<string, unknown>;
  error?: WireError;
  progress?: Progress;
}

export interface SpanEntry {
  span: number;
  path: string;
  bytes: number;
  format: string;
  device_type: string;
}

export interface Catalog {
  runs: { run: string; workers: { worker: string; spans: SpanEntry[] }[] }[];
  skipped: { path: string; reason: string }[];
  skipped_count?: number;
  looked_for: string;
  source?: string;
  failure?: { type: string; message: string };
}

/** What a trace can lack; the keys of `has` and `hints`. */
export type Holding =
  | "device"
  | "kernels"
  | "shapes"
  | "stacks"
  | "memory"
  | "modules"
  | "steps"
  | "occupancy";

export interface TraceInfo {
  steps: {
    recorded: boolean;
    first: number;
    last: number;
    count: number;
    complete: number;
    /** What can be chosen as the step, as value and words. */
    by?: [value: string, label: string][];
  };
  events: number;
  duration_us: number;
  threads: { tid: number; label: string }[];
  devices: { device: number; label: string; name?: string }[];
  streams: number[];
  has: Partial<Record<Holding, boolean>>;
  warnings: { kind: string; count: number; example: string | null }[];
  hints: Partial<Record<Holding, string>>;
}

/** Why a table is empty, in words, and filters that would not leave it so. */
export interface Empty {
  title: string;
  text: string;
  actions: { label: string; filter?: Filter; search?: string }[];
}

export interface Page {
  total: number;
  calls: number | null;
  all: number;
  rows?: number;
  slots: number[];
  maxima: Record<string, number | null>;
  hidden: string[];
  /** The columns that tell rows apart. */
  keys?: string[];
  notes?: Record<string, string>;
  sums?: Record<string, number | null>;
  all_sums?: Record<string, number | null>;
  sort?: [string, "asc" | "desc"] | null;
  /** Of a tree: how many rows it has, open or not, and the first line that the search finds. */
  of?: number;
  match?: number;
  empty?: Empty;
}

export type FigureItem = { doc: unknown; root_id: string; version?: string; target_id?: unknown };

/** A chart: of Bokeh, or where there is no Python, as shapes. */
export type Figure = FigureItem | DrawingItem;

/** A part of a view, as `nbprof/widgets/views/cards.py` describes it. */
export interface CardInfo {
  name: string;
  title: string;
  note: string;
  switches: {
    key: string;
    label: string;
    options: [value: string, label: string][];
    menu: boolean;
  }[];
  /** What each switch stands at. */
  choice: Record<string, string>;
  figures: { name: string; kind: "bars" | "donut"; title: string }[];
  /** What a click on a bar filters to. */
  picks: "" | "steps" | "name" | "within";
  /** The table under the charts; empty where their numbers are shown in their place. */
  table: string;
  /** The buffer with its rows, and how many there are in all. */
  rows: number;
  of: number;
}

export interface Described {
  cards?: CardInfo[];
  figures: Record<string, Figure>;
}

export interface Overview extends Described {
  tables: Record<string, number>;
  facts: [string, string][];
  /** Without Python: why a table is not there, by its name. */
  missing?: Record<string, string>;
}
