/**
 * The messages between the browser and Python, with the timeouts and types that only the browser has.
 *
 * Python declares the messages in `nbprof/widgets/requests/messages/`; `messages.ts` is generated.
 */
import type { DrawingItem } from "../../chart/drawing";
import type * as messages from "./messages";
import type { Op } from "./messages";

export * from "./messages";

const READS_A_FILE = 120_000;
/** Timeout of background requests, for which no user waits, in ms. */
export const UNHURRIED = 86_400_000;

/** Milliseconds without a message from Python (progress included) after which a request fails. */
export const TIMEOUTS: Record<Op, number> = {
  hello: 15_000,
  catalog: 60_000,
  refresh: 60_000,
  changes: UNHURRIED,
  trace: READS_A_FILE,
  overview: READS_A_FILE,
  charts: READS_A_FILE,
  names: READS_A_FILE,
  page: READS_A_FILE,
  spreads: READS_A_FILE,
  stacks: READS_A_FILE,
  sources: 15_000,
  csv: READS_A_FILE,
  trace_file: READS_A_FILE,
  page_file: READS_A_FILE,
  bokehjs: 60_000,
  script: 60_000,
  timeline: READS_A_FILE,
  slices: READS_A_FILE,
  slice: READS_A_FILE,
  find: READS_A_FILE,
  area: READS_A_FILE,
  flows: READS_A_FILE,
  memory: READS_A_FILE,
  diff: READS_A_FILE,
  swap: 15_000,
  blocks: READS_A_FILE,
  segments: READS_A_FILE,
  flame: READS_A_FILE,
  icicle: READS_A_FILE,
  distributed: READS_A_FILE,
};

/** A chart: a Bokeh figure, shapes where there is no Python, or the reason why it is missing. */
export type Figure =
  | messages.TemplateItem
  | messages.FigureItem
  | messages.FigureWords
  | DrawingItem;

type WithFigures<T extends messages.Described> = Omit<T, "figures"> & {
  figures: Record<string, Figure>;
};

export type Described = WithFigures<messages.Described>;
export type Overview = WithFigures<messages.Overview>;
export type Distributed = WithFigures<messages.Distributed>;
export type Memory = Omit<messages.Memory, "figure"> & { figure: Figure | null };
