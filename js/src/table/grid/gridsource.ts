/** What a grid asks for its rows, and what it reports of the user. */

import type { Attributes } from "../../core/dom";

export interface GridSource {
  /** The cells of a row; null until it is received. */
  cells(row: number): HTMLTableCellElement[] | null;
  /** The cells of a line under a row. */
  childCells(row: number, child: number): HTMLTableCellElement[];
  isSelected(row: number): boolean;
  /** Further attributes of a row, such as its level in a tree. */
  attributes?(row: number): Attributes;
  /** Called when rows from first to last (exclusive) become visible. */
  seen(first: number, last: number): void;
}

export interface GridEvents {
  sort(key: string): void;
  /** Give a column another width, in CSS px, where columns can be resized. */
  resize?(key: string, width: number): void;
  /** Make a column as wide as its content. */
  fit?(key: string): void;
  select(row: number, add: boolean): void;
  /** Select all rows from the one selected last to this one. */
  range?(row: number): void;
  activate(row: number): void;
  open(row: number): void;
  close(row: number): void;
  copy(row: number): void;
  clear(): void;
  /** Show the row in the timeline, if there is one. */
  show?(row: number): void;
  /** Called when the pointer or the focus is on another row, or on none. */
  hover?(row: number | null): void;
}
