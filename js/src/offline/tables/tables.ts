/** `StoredTable`: a table of the saved state, its columns as plain values and its description. */

import { type SavedState, SLOT, type TableAbout } from "../../core/saved/savedstate";
import { type Column, type Kind, Rows, type Value } from "../../values/arrow";

/** A buffer that carries decoded rows, which `readRows` returns as they are. */
interface RowsBuffer extends Uint8Array {
  rows: Rows;
}

export interface StoredColumn {
  name: string;
  kind: Kind;
  unit: string;
  meaning: string;
  term?: string | undefined;
  values: Value[];
}

/** A table with some or all of its rows in saved state. */
export interface StoredTable {
  about: TableAbout;
  length: number;
  columns: StoredColumn[];
  /** The colour slot of each row; empty where rows have no colour. */
  slots: number[];
  /** Under a name filter, the table without that filter. */
  unnamed?: StoredTable;
}

export function tableKey(name: string, group_by: string): string {
  return `table:${name}:${group_by}`;
}

export async function readStoredTable(
  saved: SavedState,
  key: string,
): Promise<StoredTable | undefined> {
  const about = saved.about<TableAbout>(key);
  const rows = await saved.rows(key);
  if (!about || !rows) return undefined;
  const columns = readColumns(rows);
  const slots = columns.find((column) => column.name === SLOT)?.values ?? [];
  return {
    about,
    length: columns[0]?.values.length ?? 0,
    columns: columns.filter((column) => column.name !== SLOT),
    slots: slots.map(Number),
  };
}

/** Read the columns of an Arrow stream as plain values. */
export function readColumns(rows: Rows): StoredColumn[] {
  return rows.columns.map(({ name, kind = "text", unit, meaning, term, at }) => ({
    name,
    kind,
    unit,
    meaning,
    term,
    values: Array.from({ length: rows.length }, (_, row) => at(row)),
  }));
}

export function columnOf(table: StoredTable, name: string): StoredColumn | undefined {
  return table.columns.find((column) => column.name === name);
}

/** Return the table with additional columns. */
export function withColumns(table: StoredTable, ...more: StoredColumn[]): StoredTable {
  return { ...table, columns: [...table.columns, ...more] };
}

/** Return the given rows of a table, in the given order. */
export function take(table: StoredTable, rows: readonly number[]): StoredTable {
  const { slots } = table;
  return {
    about: table.about,
    length: rows.length,
    columns: table.columns.map((column) => ({
      ...column,
      values: rows.map((row) => column.values[row] ?? null),
    })),
    slots: slots.length ? rows.map((row) => slots[row] ?? 0) : [],
  };
}

export function rowsOf(table: StoredTable): Rows {
  const columns = table.columns.map(
    ({ name, kind, unit, meaning, term, values }): Column => ({
      name,
      kind,
      unit,
      meaning,
      term,
      at: (row) => values[row] ?? null,
    }),
  );
  return new Rows(table.length, columns);
}

/** Wrap a table as the buffer of a reply; it has one byte, since an empty one means no table. */
export function given(table: StoredTable): RowsBuffer {
  return Object.assign(new Uint8Array(1), { rows: rowsOf(table) });
}

/** The values of a column; empty if the table lacks it. */
export function valuesOf(table: StoredTable, name: string): Value[] {
  return columnOf(table, name)?.values ?? [];
}

/** The numbers of a column, without nulls. */
export function numbersOf(table: StoredTable, name: string): number[] {
  return valuesOf(table, name).filter((value) => typeof value === "number");
}

/** The sums of some columns, except those without a number. */
export function sumsOf(table: StoredTable, columns: readonly string[]): Record<string, number> {
  const sums = columns.flatMap((name) => {
    const found = numbersOf(table, name);
    return found.length ? [[name, found.reduce((sum, number) => sum + number, 0)]] : [];
  });
  return Object.fromEntries(sums) as Record<string, number>;
}

/** A column as numbers, 0 for null. */
export function numbers(table: StoredTable, name: string): number[] {
  return valuesOf(table, name).map((value) => Number(value ?? 0));
}

/** A column as texts, empty for null. */
export function texts(table: StoredTable, name: string): string[] {
  return valuesOf(table, name).map((value) => String(value ?? ""));
}
