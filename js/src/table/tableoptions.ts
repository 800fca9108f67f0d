/** What a table of a view is. */
import type { Rows } from "../values/arrow";
import type { TreeLines } from "../views/modules/treelines";
import type { MemoryLens, Query } from "./pages";
import type { TableTitle } from "./tablehead";

export interface TableOptions extends TableTitle {
  /** Whether call stacks open under a row. */
  stacks: boolean;
  foot: string;
  /** Lines in sight before it scrolls. */
  lines?: number;
  /** Least room for names, where the table has not the whole width. */
  nameWidth?: number;
  /** What Python is told of what is looked at, beyond the filter. */
  lens?: () => MemoryLens;
  /** Columns that say nothing now. */
  without?: () => readonly string[];
  /** What stands for a name that is not known. */
  unnamed?: (rows: Rows, at: number) => string;
  /** What Enter does, where that is not to filter to the name; T as well, unless that is free. */
  activate?: { words: string; timeline?: boolean; run: (rows: Rows, at: number) => void };
  /** The pointer or the focus is on a row, or on none. */
  hover?: (row: { rows: Rows; at: number } | null) => void;
  /** What else Python is told. */
  more?: () => Partial<Query>;
  /** Where the table is a tree: what is open. */
  tree?: TreeLines;
}
