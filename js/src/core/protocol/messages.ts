/**
 * The messages between Python and the browser.
 *
 * Generated from nbprof/widgets/requests/messages/ by `make messages`: do not edit.
 */

export const VERSION = 1;

/** What the browser can ask for. */
export const OPS = [
  "hello",
  "catalog",
  "refresh",
  "changes",
  "trace",
  "charts",
  "page",
  "spreads",
  "names",
  "stacks",
  "sources",
  "csv",
  "trace_file",
  "page_file",
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
  "blocks",
  "segments",
  "flame",
  "icicle",
  "distributed",
  "diff",
  "swap",
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
  "library",
  "overhead",
] as const;
export type Category = (typeof CATEGORIES)[number];

/** A filter as plain values; only the fields that are set. */
export interface Filter {
  steps?: [number, number];
  time_us?: [number, number];
  name?: string;
  /** Name of enclosing slices: as `name`, or "=aten::mm" for an exact match. */
  within?: string;
  kinds?: string[];
  threads?: number[];
  devices?: number[];
  streams?: number[];
}

/** The trace that the one on screen is compared with; without fields there is none. */
export interface Baseline {
  run?: string;
  worker?: string;
  span?: number;
  /** "baseline" for a trace of the other source; missing for one of the profile on screen. */
  source?: string;
  /** Several workers of the baseline, whose mean is compared. */
  workers?: string[];
  /** Several workers on screen, as long as the one on screen is among them. */
  candidates?: string[];
}

/** The trace and the filter that a request is about. */
export interface State {
  run: string;
  worker: string;
  span: number;
  filter: Filter;
  /** Annotations that are used as steps; empty for the recorded steps. */
  step: string;
  /** The trace to compare with. */
  baseline?: Baseline;
  /** Number of searches for files; a new search makes equal requests differ. */
  refreshed?: number;
}

/** A request of the browser. */
export interface Request {
  v: number;
  id: number;
  op: Op;
  /** Generation: the browser drops replies to older ones. */
  gen: number;
  params: Record<string, unknown>;
}

/** Progress of a request. */
export interface Progress {
  text: string;
  done: number;
  total: number;
}

/** An error, as shown to the user. */
export interface WireError {
  type: string;
  message: string;
  hint: string;
  details: string;
}

/** A message of Python: a reply, an error, or progress; `id` is null without a request. */
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

/** A table of a view that the generic panel draws. */
export interface TabTable {
  table: string;
  title: string;
  /** Nouns for its rows, singular and plural. */
  nouns: string[];
  /** Value and label of each grouping, the default first; empty without groupings. */
  groupings: [string, string][];
}

/** Data about a view for its tab and its panel; the trait `tabs` lists them in order. */
export interface TabInfo {
  name: string;
  title: string;
  /** The first grouping of its table; empty without any. */
  group_by: string;
  /** Name of the script that draws it; several views may share one. */
  script: string;
  /** Requests of other views that it answers: slices of given names, or launched kernels. */
  shows: "" | "slices" | "launched" | "allocated";
  /** Tables of other views whose rows can be found in it. */
  finds: string[];
  /** Whether its rows have names of modules, which differ from those in the trace. */
  of_modules: boolean;
  /** Kinds of data; if not empty and the trace contains none of them, the tab is muted. */
  content: string[];
  /** Whether the tab is hidden without any of this content. */
  optional: boolean;
  /** Tables under its cards; only for the generic panel. */
  tables: TabTable[];
}

/** A file of a worker. */
export interface SpanEntry {
  span: number;
  path: string;
  bytes: number;
  format: string;
  device_type: string;
  /** Words of its name that tell it from the other spans of the worker. */
  label?: string;
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

/** Result of `hello`: versions of nbprof and the protocol. */
export interface Hello {
  protocol: number;
  version: string;
  bokeh: string;
}

/** Python code that opens the profile on screen; empty without a profile. */
export interface LoadingCode {
  /** An expression that opens the profile. */
  load?: string;
  /** Whether the expression opens a profile of only the trace on screen. */
  single_trace?: boolean;
  /** The tables that are methods of profiles instead of traces. */
  of_profiles?: string[];
}

/** Result of `catalog` and `refresh`: runs, workers and spans. */
export interface Catalog {
  runs: RunEntry[];
  /** Those of the other source, which holds baselines. */
  baselines?: RunEntry[];
  skipped: SkippedFile[];
  skipped_count?: number;
  looked_for: string;
  source?: string;
  code?: LoadingCode;
  failure?: Failure;
}

/** Result of `changes`: numbers of files that differ from the catalog. */
export interface Changes {
  /** Whether files were compared: not if listing takes long, or if the view has a watcher. */
  checked: boolean;
  words: string;
  new: number;
  changed: number;
  gone: number;
  /** Files that differ, but may still be written; the next check decides. */
  settling: number;
}

/** The steps of a trace. */
export interface StepsInfo {
  recorded: boolean;
  first: number;
  last: number;
  count: number;
  complete: number;
  /** Choices for the step, as value and label. */
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

/** A kind of data that was repaired, skipped or inconsistent while reading. */
export interface WarningInfo {
  kind: string;
  count: number;
  example: string | null;
}

/** Result of `trace`: the contents of a whole trace, regardless of the filter. */
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
  /** How many threads, devices or streams there are, where not all are listed. */
  of: Record<string, number>;
  /** Kinds of data it contains, by the names of `hints`. */
  has: Record<string, boolean>;
  warnings: WarningInfo[];
  /** Sentences on missing data and the option that records it, and on what operators leave out. */
  hints: Record<string, string>;
  /** Short labels of kernels, by the FNV-1a hashes of their names. */
  labels: Record<string, string>;
}

/**
 * Result of `names`: names of a trace that contain the typed text, the longest time first. Threads,
 * devices and streams come after them, where a trace has more than a filter lists.
 */
export interface Names {
  /** Name, its kind, and its time in µs, or the number of a thread, device or stream. */
  names: [string, "operator" | "kernel" | "thread" | "device" | "stream", number][];
  /** Number of names that contain the text. */
  total: number;
}

/** A button in the message of an empty table. */
export interface EmptyAction {
  label: string;
  filter?: Filter;
  search?: string;
}

/** Why a table is empty, and filters that give rows. */
export interface Empty {
  title: string;
  text: string;
  actions: EmptyAction[];
}

/** Peak memory in use on a device. */
export interface Peak {
  peak_bytes: number;
  time_us: number;
}

/** Result of `page`: some rows of a table in buffer 0, and facts about all rows. */
export interface Page {
  total: number;
  calls: number | null;
  /** Rows without the name filter and the search. */
  all: number;
  rows?: number;
  offset?: number;
  group_by?: string;
  /** Colour slot of each row; empty if rows have no colour. */
  slots: number[];
  maxima: Record<string, number | null>;
  /** Columns without information about this trace. */
  hidden: string[];
  /** The key columns. */
  keys?: string[];
  /** Why columns are null in every row. */
  notes?: Record<string, string>;
  sums?: Record<string, number | null>;
  all_sums?: Record<string, number | null>;
  /** The columns of times for which shares of the filter and of all can be requested. */
  shares?: string[];
  sort?: [string, "asc" | "desc"] | null;
  /** For differences: the number of all rows by how they changed. */
  changes?: Record<string, number>;
  /** For a tree of differences: places of the rows along which it opens at first. */
  path?: number[];
  /** Column, operator and value of each condition that the search consists of. */
  conditions?: [string, string, string | number | boolean][];
  /** For a tree: number of rows, visible or not. */
  of?: number;
  /** For a tree: the first line that matches the search. */
  match?: number;
  peaks?: Peak[];
  empty?: Empty;
}

/** How the values of a column are spread: edges of bins, and the number of values in each. */
export interface Spread {
  edges: number[];
  counts: number[];
  /** Whether each bin is for one whole number, its lower edge. */
  single: boolean;
}

/** Result of `spreads`: the numeric columns of a table of many rows, whatever the search. */
export interface Spreads {
  spreads: Record<string, Spread>;
}

/** Result of `stacks`: the lines under a row, in buffer 0: parts, or a tree of frames. */
export interface Stacks {
  total: number;
  rows: number;
  hint?: string;
}

/** Result of `trace_file` and `page_file`: one of the parts of a file, in buffer 0. */
export interface FilePart {
  filename: string;
  part: number;
  parts: number;
}

/** Result of `sources`: the files of call stacks that the server has. */
export interface Sources {
  /** Path below the root of the server, by the file name in frames. */
  files: Record<string, string>;
}

/** Result of `csv`: a part of the text, in buffer 0. */
export interface Csv {
  filename: string;
  rows: number;
  part: number;
  parts: number;
}

/** Where the rows of a source are drawn, in pixels; see `nbprof.charts.chart.Items`. */
export interface Items {
  kind: "columns" | "rows" | "ring" | "points";
  source: string;
  x: number;
  y: number;
  inner: number;
  outer: number;
}

/** A chart of nbprof as a Bokeh figure: its template, and the data that filters change. */
export interface TemplateItem {
  /** Identifies the template. */
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
  /** The positions of its bars or slices, for pointing and selecting. */
  items?: Items;
}

/** A figure of a view of another package as `bokeh.embed.json_item` writes it. */
export interface FigureItem {
  doc: unknown;
  root_id: string;
  version?: string;
  target_id?: unknown;
  /** Its title, if it has one. */
  title?: string;
}

/** Sentence shown instead of a figure that cannot be shown. */
export interface FigureWords {
  words: string;
}

/** A switch of a card. */
export interface CardSwitch {
  key: string;
  label: string;
  /** Values and their labels. */
  options: [string, string][];
  menu: boolean;
}

/** A chart of a card. */
export interface CardFigure {
  name: string;
  kind: "bars" | "donut" | "points";
  title: string;
}

/** A part of a view: charts and their table under a title. */
export interface CardInfo {
  name: string;
  title: string;
  note: string;
  switches: CardSwitch[];
  /** The value of each switch. */
  choice: Record<string, string>;
  figures: CardFigure[];
  /** The kind of item that a click on a bar selects, which can become a filter. */
  picks: "" | "steps" | "name" | "worker" | "within" | "range";
  /** The table under the charts; empty if their numbers replace them. */
  table: string;
  /** The buffer with its rows. */
  rows: number;
  /** Total number of rows. */
  of: number;
}

/** Result of `charts`: the figures and cards of a view. */
export interface Described {
  cards?: CardInfo[];
  figures: Record<string, TemplateItem | FigureItem | FigureWords>;
  /** Sentences about the content of the charts, such as data that is left out. */
  notes?: string[];
}

/** The steps of a trace with so many that the table has only the slowest. */
export interface ManySteps {
  count: number;
  /** How many of them are complete. */
  complete: number;
  /** The shortest and the longest time of complete steps; of all, if none is complete. */
  range_us: [number, number];
  /** Which steps the table has. */
  shown: string;
}

/** Result of `overview`. */
export interface Overview extends Described {
  /** Number of the buffer of each table. */
  tables: Record<string, number>;
  /** Which devices the tables have, if there are too many for all. */
  left_out?: string;
  many_steps?: ManySteps;
  facts: [string, string][];
  /** Without Python: why a table is missing, by its name. */
  missing?: Record<string, string>;
  /** Without Python: whether the steps are those of all work, though there is a name. */
  of_all?: boolean;
}

/**
 * Result of `distributed`: while `done` and `of` differ there is nothing else. Buffer 0 is the
 * table of the devices.
 */
export interface Distributed extends Described {
  /** Traces that have been read. */
  done: number;
  /** Total number of traces. */
  of: number;
  empty?: Empty | null;
  calls?: number;
  /** The whole that the utilization of a device is a share of. */
  over?: string;
  /** Which devices the table has, if there are too many for all. */
  left_out?: string;
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
  /** The peak of the baseline, null if it has none; missing without a comparison. */
  before?: number | null;
}

/** The plot area of the memory figure in CSS px, and the ranges of its axes. */
export interface Plane {
  left: number;
  right: number;
  top: number;
  bottom: number;
  start_us: number;
  end_us: number;
  /** Bytes per unit of the axis. */
  bytes: number;
}

/** Result of `memory`. */
export interface Memory {
  /** The devices that can be chosen. */
  devices: MemoryDevice[];
  /** Which these are, if not all. */
  left_out?: string;
  device: string;
  /** The kind of curve shown. */
  by?: string;
  /** The kinds of curves available. */
  kinds?: string[];
  peaks: MemoryPeak[];
  records: number;
  figure: TemplateItem | null;
  plane: Plane | null;
}

/** What replies about flame graphs share: a range of one; buffer 0 has its frames. */
export interface Graph {
  total: number;
  /** Number of frames in the whole graph that match the search. */
  found: number;
  search_valid: boolean;
  range?: [number, number];
  depths?: number;
  rows?: [number, number];
  names?: string[];
  slots?: number[];
  shades?: number[];
  /** Why no frame has a width. */
  empty?: string;
}

/** Result of `flame`. */
export interface Flame extends Graph {
  by: string;
  order: string;
}

/** Result of `icicle`. */
export interface Icicle extends Graph {
  /** `time`, as of a flame graph. */
  by: string;
}

/** An allocation that failed. */
export interface OutOfMemory {
  /** Its place on the axis. */
  at: number;
  moment: number;
  time_us: number;
  /** What was asked for. */
  bytes: number;
  /** What the device had free, if recorded. */
  free: number | null;
  in_use: number;
  reserved: number;
  stack: string;
}

/** What was in use at one end of the recording. */
export interface HistoryEnd {
  /** What the allocator took. */
  bytes: number;
  /** What the program asked for. */
  requested: number;
  blocks: number;
  reserved: number;
}

/** Memory in use at a moment. */
export interface MemoryMoment {
  /** What the allocator took. */
  bytes: number;
  /** What the program asked for. */
  requested: number;
  moment: number;
  at: number;
  time_us: number;
}

/** Result of `blocks`: stacked blocks of a range; buffer 0 has the blocks, 1 the columns. */
export interface Blocks {
  devices: MemoryDevice[];
  device: string;
  axis: "time" | "events";
  /** The range that shows everything. */
  extent: [number, number];
  range: [number, number];
  columns: number;
  /** Blocks of fewer bytes are summed. */
  least: number;
  /** Number of blocks in the recording. */
  all: number;
  /** Number of blocks in use at any time of the range. */
  inside: number;
  /** Number of blocks that filter and search keep; null without them. */
  found: number | null;
  search_valid: boolean;
  events: number;
  peak: MemoryMoment;
  before: HistoryEnd;
  after: HistoryEnd;
  ooms: OutOfMemory[];
  /** Whether older events were overwritten. */
  overwritten: boolean;
  /** Number of events that the history keeps, if recorded. */
  entries: number | null;
  /** The innermost frames of each stack. */
  stacks: string[];
  /** Colour slot of each stack. */
  slots: number[];
  categories: string[];
}

/** Who holds memory: a frame or a category. */
export interface Holder {
  /** Empty without a recorded one. */
  name: string;
  bytes: number;
  blocks: number;
  /** The part from before the recording, bytes. */
  before: number;
}

/** A block with everything that is recorded about it. */
export interface BlockDetails {
  address: string;
  /** What the allocator took. */
  bytes: number;
  /** What the program asked for. */
  requested: number;
  state: string;
  allocated_us: number | null;
  freed_us: number | null;
  first_moment: number;
  last_moment: number;
  stream: number | null;
  pool: string;
  category: string;
  note: string;
  stack: string;
  /** The stack of its release, if its allocation is not recorded. */
  freed_by: string;
}

/** Result of `segments`: a moment; buffer 0 has its segments, 1 their blocks as drawn. */
export interface Segments {
  device: string;
  moment: number;
  last: number;
  at: number;
  time_us: number;
  /** The event before the moment, in words; empty before the first. */
  event: string;
  in_use: number;
  /** What the program asked for of what is in use. */
  requested: number;
  reserved: number;
  /** What blocks occupy of the segments. */
  occupied: number;
  blocks: number;
  gaps: number;
  largest_gap: number;
  /** Number and bytes of blocks of which no segment is known. */
  outside: [number, number];
  peak_before: MemoryMoment;
  peak_after: MemoryMoment;
  /** Bytes of a row. */
  length: number;
  rows: number;
  holders: Holder[];
  categories: Holder[];
  /** Number of further holders. */
  others?: number;
  stacks: string[];
  slots: number[];
  item_categories: string[];
  pools: string[];
  selected: BlockDetails | null;
}

/** A process, a device or a part of the recorder; with lanes by module, a module. */
export interface Group {
  key: string;
  label: string;
  detail: string;
  /** Whether only its name is shown at first. */
  collapsed?: boolean;
  /** Whether its lanes are drawn as one while it is collapsed, each with a row of a few pixels. */
  as_lane?: boolean;
  /** Key of the group of its worker, where several workers are shown. */
  within?: string;
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
  /** Number of its rows. */
  depths: number;
  slices: number;
  /** Number of slices that overlap others of the lane and are therefore in extra rows. */
  moved: number;
  /** Numbers for filters; null if not applicable. */
  tid: number | null;
  device: number | null;
  stream: number | null;
  /** Noun of its rows, such as "Python frame", if only the first row is shown initially. */
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

/** A worker among several, and the offsets of its rows, slices and times. */
export interface ShownWorker {
  worker: string;
  /** End of the keys of its lanes, curves and groups; empty for the worker on screen. */
  suffix: string;
  first_row: number;
  first_slice: number;
  host_rows: number;
  /** Nanoseconds that were added to its times. */
  shift_ns: number;
  steps: Step[];
  /** How its clock was aligned, in words; empty for the worker on screen. */
  aligned: string;
  /** Which trace it is, if it is the baseline of the one on screen. */
  baseline?: Baseline;
}

/** What two timelines are aligned at: a step, or an occurrence of a name, of a step if given. */
export interface AlignedAt {
  step?: number;
  name?: string;
  /** Which occurrence, from 1. */
  nth?: number;
}

/** A comparison with a baseline: where the two timelines are aligned. */
export interface Compared {
  baseline: Baseline;
  /** As it was asked for. */
  align: AlignedAt;
  at_ns: number;
  /** When what begins there has ended on both sides. */
  end_ns: number;
  /** Which of the steps or occurrences of both sides it is, from 1; 0 for neither. */
  nth: number;
  /** How many there are. */
  count: number;
  /** What begins there: a step or a name. */
  place: string;
  /** How the baseline was aligned, and why what was asked for is not possible. */
  words: string;
  /** The numbers of the steps that both have: of the trace on screen, of the baseline. */
  steps: [number, number][];
}

/** Result of `timeline`: the layout, independent of the window. Buffer 0 is the minimap. */
export interface Layout {
  group_by: string;
  start_ns: number;
  end_ns: number;
  host_rows: number;
  groups: Group[];
  lanes: Lane[];
  tracks: Track[];
  /** Empty if no steps are marked. */
  steps: Step[];
  slices: number;
  moved: number;
  minimap: Minimap;
  /** The kinds of arrows that the trace has; missing in older saved state. */
  flows?: ("enqueue" | "fwdbwd" | "queue")[];
  /** The reason if there is nothing to draw; missing in older saved state. */
  empty?: string;
  /** Sentences about data that is left out because there is too much of it. */
  left_out?: string[];
  /** The workers shown, the one on screen first; missing if it is the only one. */
  workers?: ShownWorker[];
  /** Why other workers cannot be shown. */
  failed?: Record<string, string>;
  /** The requested method of aligning clocks. */
  clock?: string;
  /** The comparison, if a baseline is shown. */
  compared?: Compared;
}

/** Result of `slices`. Buffer 0 holds the slices, one record a row; buffer 1 the tracks. */
export interface WindowInfo {
  start_ns: number;
  end_ns: number;
  /** Slices shorter than this that start in one column of this length are one block. */
  bin_ns: number;
  group_by: string;
  /** Ranges of the rows included, last exclusive. */
  rows: [number, number][];
  names: string[];
  /** Colour slot of each name, 0 to 9. */
  slots: number[];
  /** Lightness step of each name, 0 to 3. */
  shades: number[];
  /** Indices of names that match the search. */
  matches: number[];
  /** Indices of names that the name filter excludes. */
  dimmed: number[];
}

/** A slice, such as the hovered or the selected one. */
export interface SliceRef {
  slice: number;
  row: number;
  start_ns: number;
  end_ns: number;
  /** Missing if it is not known without a request. */
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

/** A link from one slice to a connected one. */
export interface SliceLink {
  kind:
    | "counterpart"
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

/** Result of `slice`: everything known about a slice. */
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
  /** Links to connected slices. */
  follow: SliceLink[];
  arrows: Arrow[];
  /** The slice as a place to align two timelines at; missing without a comparison. */
  align?: AlignedAt;
}

/** Result of `flows`: the arrows of a window that are nearest to a time. */
export interface Flows {
  arrows: Arrow[];
  /** Whether there may be more arrows, farther from that time. */
  limited: boolean;
}

/** Result of `find`. */
export interface Found {
  count: number;
  /** Position of the hit among all, from 1; 0 without a hit. */
  index: number;
  hit: SliceRef | null;
  /** Columns of the minimap that hold matches. */
  columns: number[];
}

/** Result of `area`: time by name in a range of time over some lanes, in buffer 0. */
export interface Area {
  slices: number;
  host: number;
  device: number;
  /** Number of names; `rows` of them are in the buffer. */
  names: number;
  rows: number;
  slots: number[];
}

/** The saved timeline, besides its slices and curves. */
export interface SavedTimeline {
  layout: Layout;
  /** For the whole trace and all rows. */
  info: WindowInfo;
  /** Sentences about what is left out; empty if every slice is included. */
  left_out: string;
  /** Names as recorded, by those shown, where they differ: filters match both. */
  recorded: Record<string, string>;
}

/** One side of a comparison. */
export interface DiffSide {
  run: string;
  worker: string;
  /** The workers whose mean is compared, the first of them as `worker`. */
  workers: string[];
  span: number;
  /** "baseline" for a trace of the other source; empty for one of the profile on screen. */
  source: string;
  /** Its devices, with their number and model. */
  device: string;
  /** The recorder. */
  format: string;
  /** Steps under the filter; 0 if none were recorded. */
  steps: number;
  /** Those of them that figures are medians over. */
  complete: number;
  /** Conditions that this side has for itself, in words. */
  filter: string;
}

/** A category of the step on both sides, or the whole step. */
export interface DiffPart {
  category: string;
  name: string;
  baseline_us: number;
  candidate_us: number;
  delta_us: number;
  delta_pct: number | null;
  noise_pct: number | null;
  /** "same" if the difference is within the noise. */
  change: "added" | "removed" | "up" | "down" | "same";
}

/** A bar of the waterfall: a step, a change, or the rest of all changes. */
export interface DiffBar {
  kind: "baseline" | "change" | "rest" | "candidate";
  category: string | null;
  name: string;
  baseline_us: number | null;
  candidate_us: number | null;
  delta_us: number | null;
  from_us: number;
  to_us: number;
  delta_pct: number | null;
  noise_pct: number | null;
  change: "added" | "removed" | "up" | "down" | "same" | null;
  /** Field of the filter that keeps what the bar stands for on both sides. */
  field: string | null;
  value: string | null;
}

/** Result of `diff`; without a baseline only the candidate. */
export interface Diff {
  candidate: DiffSide;
  baseline: DiffSide | null;
  /** Whether figures are medians over steps, instead of sums of whole recordings. */
  per_step?: boolean;
  /** Why the step changed, as a sentence; not on a page that compares other steps. */
  reason?: string;
  notes?: string[];
  /** The whole step first. */
  parts?: DiffPart[];
  bars?: DiffBar[];
  /** Labels of the kernels of both sides, as `TraceInfo.labels`. */
  labels?: Record<string, string>;
  /** Why there are no parts and bars, where there is no Python. */
  missing?: string;
}
