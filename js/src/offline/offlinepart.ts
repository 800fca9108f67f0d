/** The interface of a view's `offline.ts`: the requests and charts that it handles without Python. */
import type { Figure, Op } from "../core/protocol/protocol";
import type { SavedState } from "../core/saved/savedstate";
import type { Answer, Params, TableSource } from "./answerer";
import type { Look } from "./appearance";
import type { Sort } from "./tables/order";
import type { Parts } from "./tables/parts";
import type { StoredTable } from "./tables/tables";

export interface Question {
  saved: SavedState;
  /** The tables under the requested filter. */
  source: TableSource;
  /**
   * The tables without the fields of the filter that a click in the chart sets; null if the filter
   * has none of these fields, or if the saved state has no rows outside of the filter.
   */
  around(picks: string): TableSource | null;
  /** Whether the requested filter is that of the saved state. */
  underSavedFilter: boolean;
  params: Params;
  look: Look;
  load: Load;
}

/** Loads another script, and returns its exports. */
export type Load = <T>(name: string) => Promise<T>;

/** A question of the view that the operation belongs to, with access to its cards. */
export interface OwnQuestion extends Question {
  figures(): Promise<Record<string, Figure>>;
  /** The cards of the view; their tables are the buffers of the reply from `first` on. */
  cards(first: number): Promise<{ cards: unknown[]; buffers: Uint8Array[] }>;
}

/** A filter of steps and names, and what helps to apply it to a table. */
export interface Filtering {
  saved: SavedState;
  /** The first and last step; null for all. */
  steps: [first: number, last: number] | null;
  /** A part of the names, or a pattern; empty for all. */
  name: string;
  load: Load;
  /** Whether a step is kept. */
  wanted(step: number): boolean;
  /** Whether the filter keeps all steps, and the time outside of them. */
  everyStep: boolean;
  /** Another table under the same filter. */
  table(name: string): Promise<StoredTable | undefined>;
  /** Contributions of each step to the table; undefined if they are not in saved state. */
  parts(): Promise<Parts | undefined>;
  /** Update the counts and sums in a table's description. */
  counted(table: StoredTable, unnamed?: StoredTable): StoredTable;
}

/** Returned by `OfflineTable.under` if too few rows of a table are saved. */
export const CUT = "cut";

/** Special treatment of a table, or of the tables of a card; every field is optional. */
export interface OfflineTable {
  /** Name of the table at the start of a sentence. */
  subject?: string;
  /** Compute the table under a filter if it is not the sum of the contributions of steps. */
  under?(whole: StoredTable, filtering: Filtering): Promise<StoredTable | undefined | typeof CUT>;
  /** Whether `under` follows a filter of names. */
  followsNames?: boolean;
  /** Narrow the table to the rows that the request is about. */
  narrow?(saved: SavedState, table: StoredTable, params: Params): StoredTable;
  /** Whether `narrow` may leave out rows of the saved state. */
  isNarrowed?(saved: SavedState, params: Params): boolean;
  /** The lines of a tree, which replace the rows that a search finds; undefined for plain rows. */
  lines?(table: StoredTable, params: Params, sort: Sort | null): StoredTable | undefined;
  /** Extra fields of a page. */
  more?(saved: SavedState, source: TableSource, params: Params): Promise<object>;
}

export type OfflineTables = Readonly<Record<string, OfflineTable>>;

export interface OfflinePart {
  /** The charts of the view, except those of its cards, by name; null where one cannot be drawn. */
  charts?(question: Question): Promise<Record<string, Figure | null>>;
  /** The tables of the view that need special treatment, by name. */
  tables?: OfflineTables;
  /** The operations that only this view requests. */
  operations?: Partial<Record<Op, (question: OwnQuestion) => Promise<Answer>>>;
  /** The view's part of `Answers.lacks`: the reason, "" where it is possible, undefined where unknown. */
  lacks?(saved: SavedState, what: string): string | undefined;
}
