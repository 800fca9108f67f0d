/**
 * The messages between Python and the browser.
 *
 * Generated from nbprof/widgets/requests/messages*.py by `make messages`: do not edit.
 */

export const VERSION = 1;

/** What the browser can ask for. */
export const OPS = [
  "hello",
  "catalog",
  "refresh",
  "trace",
  "charts",
  "page",
  "stacks",
  "csv",
  "bokehjs",
  "script",
  "overview",
  "timeline",
  "slices",
  "slice",
  "find",
  "area",
  "flows",
  "memory",
  "flame",
  "distributed",
] as const;
export type Op = (typeof OPS)[number];

/** What a slice is, by its code. */
export const CATEGORIES = [
  "operator",
  "runtime",
  "annotation",
  "step",
  "dataloader",
  "python",
  "module",
  "kernel",
  "memcpy",
  "memset",
  "communication",
  "sync",
  "device_annotation",
  "phase",
  "task",
  "computing",
  "communicating",
  "free",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** A table of a view that the generic panel draws. */
export interface TabTable {
  table: string;
  title: string;
  /** What its rows are called: one of them, several. */
  nouns: string[];
  /** Value and words of each grouping, the default first; empty without any. */
  groupings: [string, string][];
}

/** A view, as its tab and its panel need it; the trait `tabs` lists them in their order. */
export interface TabInfo {
  name: string;
  title: string;
  /** The first grouping of its table; empty without any. */
  group_by: string;
  /** Name of the script that draws it; several views may share one. */
  script: string;
  /** What it shows on request from another view: slices of some names, or what a name launched. */
  shows: "" | "slices" | "launched";
  /** Tables whose rows can be found in it, beside those that only it shows. */
  finds: string[];
  /** Whether its rows are called as modules are, which traces write otherwise. */
  of_modules: boolean;
  /** Tables under its cards, in the generic panel; others know theirs. */
  tables: TabTable[];
}

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

/** Which part of a profile a request is about. */
export interface State {
  run: string;
  worker: string;
  span: number;
  filter: Filter;
  /** Which annotations are the steps; empty for those that were recorded. */
  step: string;
}

/** One question of the browser. */
export interface Request {
  v: number;
  id: number;
  op: Op;
  /** Generation: the browser drops replies to older ones. */
  gen: number;
  params: Record<string, unknown>;
}

/** How far a request has come. */
export interface Progress {
  text: string;
  done: number;
  total: number;
}

/** An error on its way to the reader. */
export interface WireError {
  type: string;
  message: string;
  hint: string;
  details: string;
}

/** What Python sends: a reply, an error, or progress; `id` is null where nobody asked. */
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

/** A file of a worker. */
export interface SpanEntry {
  span: number;
  path: string;
  bytes: number;
  format: string;
  device_type: string;
}

/** A worker and its files. */
export interface WorkerEntry {
  worker: string;
  spans: SpanEntry[];
}

/** A run and its workers. */
export interface RunEntry {
  run: string;
  workers: WorkerEntry[];
}

/** A file that could not be read, and why. */
export interface SkippedFile {
  path: string;
  reason: string;
}

/** Why there is no profile. */
export interface Failure {
  type: string;
  message: string;
}

/** Result of `hello`: the versions that speak. */
export interface Hello {
  protocol: number;
  version: string;
  bokeh: string;
}

/** Result of `catalog` and `refresh`: runs, workers and spans. */
export interface Catalog {
  runs: RunEntry[];
  skipped: SkippedFile[];
  skipped_count?: number;
  looked_for: string;
  source?: string;
  failure?: Failure;
}

/** The steps of a trace. */
export interface StepsInfo {
  recorded: boolean;
  first: number;
  last: number;
  count: number;
  complete: number;
  /** What can be chosen as the step, as value and words. */
  by?: [string, string][];
}

/** A thread that a filter can name. */
export interface ThreadInfo {
  tid: number;
  label: string;
  events?: number;
}

/** A device that a filter can name. */
export interface DeviceInfo {
  device: number;
  label: string;
  name?: string;
}

/** What was repaired, dropped or odd while reading. */
export interface WarningInfo {
  kind: string;
  count: number;
  example: string | null;
}

/** Result of `trace`: what a whole trace holds, whatever the filter. */
export interface TraceInfo {
  run: string;
  worker: string;
  span: number;
  path: string;
  steps: StepsInfo;
  events: number;
  duration_us: number;
  threads: ThreadInfo[];
  devices: DeviceInfo[];
  streams: number[];
  /** What it holds, by the names of `hints`. */
  has: Record<string, boolean>;
  warnings: WarningInfo[];
  /** Which profiler option records what it does not hold. */
  hints: Record<string, string>;
}

/** A way out of an empty table. */
export interface EmptyAction {
  label: string;
  filter?: Filter;
  search?: string;
}

/** Why a table is empty, in words, and filters that would not leave it so. */
export interface Empty {
  title: string;
  text: string;
  actions: EmptyAction[];
}

/** The most that a device had in use. */
export interface Peak {
  peak_bytes: number;
  time_us: number;
}

/** Result of `page`: some rows of a table, in buffer 0, and what is said of all. */
export interface Page {
  total: number;
  calls: number | null;
  /** Rows without the name filter and the search. */
  all: number;
  rows?: number;
  offset?: number;
  group_by?: string;
  /** Colour slot of each row; empty where rows have no colour. */
  slots: number[];
  maxima: Record<string, number | null>;
  /** Columns that say nothing of this trace. */
  hidden: string[];
  /** The columns that tell rows apart. */
  keys?: string[];
  /** Why columns are null in every row. */
  notes?: Record<string, string>;
  sums?: Record<string, number | null>;
  all_sums?: Record<string, number | null>;
  sort?: [string, "asc" | "desc"] | null;
  /** Of a tree: how many rows it has, open or not. */
  of?: number;
  /** Of a tree: the first line that the search finds. */
  match?: number;
  peaks?: Peak[];
  empty?: Empty;
}

/** Result of `stacks`: what opens under a row, in buffer 0. */
export interface Stacks {
  total: number;
  rows: number;
  hint?: string;
}

/** Result of `csv`: one of the parts of a text, in buffer 0. */
export interface Csv {
  filename: string;
  rows: number;
  part: number;
  parts: number;
}

/** A chart of nbprof as a Bokeh figure: its template, and the data that filters change. */
export interface TemplateItem {
  /** What tells templates apart. */
  template: string;
  /** The figure with all its models as JSON; missing if the request says that it is known. */
  root?: string;
  /** Version of Bokeh. */
  version: string;
  height: number;
  /** Columns of each data source, by its id in the template. */
  columns: Record<string, Record<string, unknown>>;
  /** Other attributes of models that depend on the data, by their ids. */
  settings: Record<string, Record<string, unknown>>;
}

/** A figure of a view of another package as `bokeh.embed.json_item` writes it. */
export interface FigureItem {
  doc: unknown;
  root_id: string;
  version?: string;
  target_id?: unknown;
}

/** What stands in the place of a figure that cannot be shown. */
export interface FigureWords {
  words: string;
}

/** A choice that a card offers. */
export interface CardSwitch {
  key: string;
  label: string;
  /** Values and their words. */
  options: [string, string][];
  menu: boolean;
}

/** A chart of a card. */
export interface CardFigure {
  name: string;
  kind: "bars" | "donut";
  title: string;
}

/** A part of a view: charts and their table under a title. */
export interface CardInfo {
  name: string;
  title: string;
  note: string;
  switches: CardSwitch[];
  /** What each switch stands at. */
  choice: Record<string, string>;
  figures: CardFigure[];
  /** What a click on a bar filters to. */
  picks: "" | "steps" | "name" | "within";
  /** The table under the charts; empty where their numbers are shown in their place. */
  table: string;
  /** The buffer with its rows. */
  rows: number;
  /** How many rows there are in all. */
  of: number;
}

/** Result of `charts`: the figures and cards of a view. */
export interface Described {
  cards?: CardInfo[];
  figures: Record<string, TemplateItem | FigureItem | FigureWords>;
  /** Sentences about what is not shown, or what is shown. */
  notes?: string[];
}

/** Result of `overview`. */
export interface Overview extends Described {
  /** Number of the buffer of each table. */
  tables: Record<string, number>;
  facts: [string, string][];
  /** Without Python: why a table is not there, by its name. */
  missing?: Record<string, string>;
}

/**
 * Result of `distributed`: while `done` and `of` differ there is nothing else. Buffer 0 is the
 * table of the devices.
 */
export interface Distributed extends Described {
  /** Traces that have been read. */
  done: number;
  /** Traces in all. */
  of: number;
  empty?: Empty | null;
  calls?: number;
  /** What the use of a device is a share of. */
  over?: string;
}

/** A device with memory. */
export interface MemoryDevice {
  key: string;
  label: string;
}

/** The peak of a curve. */
export interface MemoryPeak {
  label: string;
  bytes: number;
  time_us: number;
  capacity: number | null;
}

/** Where the data of the memory figure lie in it, CSS px, and what they span. */
export interface Plane {
  left: number;
  right: number;
  top: number;
  bottom: number;
  start_us: number;
  end_us: number;
  /** Bytes in one of the axis. */
  bytes: number;
}

/** Result of `memory`. */
export interface Memory {
  devices: MemoryDevice[];
  device: string;
  /** What the curve is drawn of. */
  by?: string;
  /** What it can be drawn of. */
  ways?: string[];
  peaks: MemoryPeak[];
  records: number;
  figure: TemplateItem | null;
  plane: Plane | null;
}

/** Result of `flame`: what a range of the flame graph shows; buffer 0 has the frames. */
export interface Flame {
  by: string;
  order: string;
  total: number;
  /** Frames that the search finds, in the whole graph. */
  found: number;
  search_valid: boolean;
  range?: [number, number];
  depths?: number;
  rows?: [number, number];
  names?: string[];
  slots?: number[];
  shades?: number[];
  /** Why nothing has a width. */
  empty?: string;
}

/** A process, a device or a part of the recorder; with lanes by module, a module. */
export interface Group {
  key: string;
  label: string;
  detail: string;
  /** Whether only its name is shown at first. */
  collapsed?: boolean;
}

/** The slices of a thread, a stream or a module. */
export interface Lane {
  key: string;
  group: string;
  label: string;
  detail: string;
  kind: "thread" | "stream" | "module";
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
  /** What its rows are, such as "Python frame", if only the first one is shown at first. */
  folded?: string;
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

/** A range of time. */
export interface Extent {
  start_ns: number;
  end_ns: number;
}

/** A step. */
export interface Step {
  step: number;
  /** As the host recorded it. */
  start_ns: number;
  end_ns: number;
  /** The extent of the device work that it launched. */
  device: Extent | null;
}

/** A row of the minimap. */
export interface Band {
  group: string;
  label: string;
}

/** The picture of the whole trace above the lanes. */
export interface Minimap {
  columns: number;
  bands: Band[];
}

/** Result of `timeline`: what there is to draw in any window. Buffer 0 is the minimap. */
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
  minimap: Minimap;
  /** The kinds of arrows that the trace has; missing in older saved state. */
  flows?: ("enqueue" | "fwdbwd" | "queue")[];
  /** Why there is nothing to draw, where there is nothing; missing in older saved state. */
  empty?: string;
}

/** Result of `slices`. Buffer 0 holds the slices, one record a row; buffer 1 the tracks. */
export interface WindowInfo {
  start_ns: number;
  end_ns: number;
  /** Slices shorter than this that start in one column of this length are one block. */
  bin_ns: number;
  group_by: string;
  /** Ranges of rows that are answered, last exclusive. */
  rows: [number, number][];
  names: string[];
  /** Colour slot of each name, 0 to 9. */
  slots: number[];
  /** Lightness step of each name, 0 to 3. */
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
  name?: string;
}

/** A link between two slices. */
export interface Arrow {
  kind: "launch" | "fwdbwd" | "enqueue" | "operator" | "queue";
  from_row: number;
  from_ns: number;
  to_row: number;
  to_ns: number;
}

/** A slice that one can go to from another. */
export interface Way {
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
}

/** Result of `slice`: all that is known of one slice. */
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
  follow: Way[];
  arrows: Arrow[];
}

/** Result of `flows`: the arrows nearest to the middle of a window. */
export interface Flows {
  arrows: Arrow[];
}

/** Result of `find`. */
export interface Found {
  count: number;
  /** Place of the hit among all, from 1; 0 without a hit. */
  index: number;
  hit: SliceRef | null;
  /** Columns of the minimap that hold matches. */
  columns: number[];
}

/** Result of `area`: what is inside a range of time over some lanes; buffer 0, by name. */
export interface Area {
  slices: number;
  host: number;
  device: number;
  /** How many names there are; `rows` of them are in the buffer. */
  names: number;
  rows: number;
  slots: number[];
}

/** What is kept of a timeline for where there is no Python, beside its slices and curves. */
export interface SavedTimeline {
  layout: Layout;
  /** Of all of the trace and all rows. */
  info: WindowInfo;
  /** What it leaves out, in words; empty where every slice is in it. */
  left_out: string;
}
