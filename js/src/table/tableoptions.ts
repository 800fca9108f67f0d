/** The options of a table view: name, title, groupings and the actions of its rows. */
import type { Attributes } from "../core/dom";
import type { Rows } from "../values/arrow";
import type { NameCell } from "./grid/namecell";
import type { MemoryLens, PageStore, Query } from "./pagestore";
import type { TableTitle } from "./tablehead";

/** Makes the rows of a table the lines of a tree, which open and close. */
export interface TableTree {
  /** The ARIA attributes of a line. */
  attributes(store: PageStore | null, line: number): Attributes;
  /** The look of a row's name cell. */
  look(rows: Rows, at: number): Partial<NameCell>;
  /** Open or close a line, or return the line to go to instead. */
  step(store: PageStore | null, line: number, inwards: boolean): number | undefined;
}

/** What is done with a row. */
type Act = (rows: Rows, at: number) => void;

export interface TableOptions extends TableTitle {
  /** Whether call stacks open under a row. */
  stacks: boolean;
  foot: string;
  /** Number of visible lines before it scrolls. */
  lines?: number;
  /** Least width of the names, CSS px, where the table has not the whole width. */
  nameWidth?: number | undefined;
  /** Returns the part of memory that is shown, for requests. */
  lens?: () => MemoryLens;
  /** Returns columns to hide, because they say nothing at present. */
  without?: () => readonly string[];
  /** Returns the text for a missing name. */
  unnamed?: (rows: Rows, at: number) => string;
  /**
   * The action of Enter, which by default filters to the name. T does the same, or shows the timeline
   * if the field of this name is set: by the name, or by what it does.
   */
  activate?: { words: string; timeline?: true | Act; run: Act } | undefined;
  /** Called when the pointer or the focus is on another row, or on none. */
  hover?: (row: { rows: Rows; at: number } | null) => void;
  /** Returns further fields of the query. */
  more?: () => Partial<Query>;
  /** Returns attributes of a row's line, for styles. */
  attributes?: (rows: Rows, at: number) => Attributes;
  /** The state of the tree, where the table is one. */
  tree?: TableTree;
}
