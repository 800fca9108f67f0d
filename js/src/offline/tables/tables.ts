/** Tables as the answerer holds them: whole columns of plain values, and what is said of them. */

import { SLOT, type Snapshot, type TableAbout } from "../../core/snapshot";
import { type Column, type Kind, Rows, type Value } from "../../values/arrow";
import type { Given } from "../answerer";

export interface InsideColumn {
  name: string;
  kind: Kind;
  unit: string;
  meaning: string;
  term?: string | undefined;
  values: Value[];
}

/** A table of which some rows are inside. */
export interface Inside {
  about: TableAbout;
  length: number;
  columns: InsideColumn[];
  /** The colour slot of every row; empty where rows have no colour. */
  slots: number[];
  /** Under a name filter: the table without it. */
  unnamed?: Inside;
}

export function tableKey(name: string, group_by: string): string {
  return `table:${name}:${group_by}`;
}

export async function readInside(snapshot: Snapshot, key: string): Promise<Inside | undefined> {
  const about = snapshot.about<TableAbout>(key);
  const rows = await snapshot.rows(key);
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

/** The columns of an Arrow stream, as plain values. */
export function readColumns(rows: Rows): InsideColumn[] {
  return rows.columns.map(({ name, kind = "text", unit, meaning, term, at }) => ({
    name,
    kind,
    unit,
    meaning,
    term,
    values: Array.from({ length: rows.length }, (_, row) => at(row)),
  }));
}

export function columnOf(table: Inside, name: string): InsideColumn | undefined {
  return table.columns.find((column) => column.name === name);
}

/** The same table with other columns beside its own. */
export function withColumns(table: Inside, ...more: InsideColumn[]): Inside {
  return { ...table, columns: [...table.columns, ...more] };
}

/** Some rows of a table, in some order. */
export function take(table: Inside, rows: readonly number[]): Inside {
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

export function rowsOf(table: Inside): Rows {
  const columns = table.columns.map(
    ({ name, unit, meaning, term, values }): Column => ({
      name,
      unit,
      meaning,
      term,
      at: (row) => values[row] ?? null,
    }),
  );
  return new Rows(table.length, columns);
}

/** A table as the buffer of a reply; of one byte, as an empty one stands for no answer. */
export function given(table: Inside): Given {
  return Object.assign(new Uint8Array(1), { rows: rowsOf(table) });
}

/** A column as numbers, 0 for null. */
export function numbers(table: Inside, name: string): number[] {
  return (columnOf(table, name)?.values ?? []).map((value) => Number(value ?? 0));
}

/** A column as texts, empty for null. */
export function texts(table: Inside, name: string): string[] {
  return (columnOf(table, name)?.values ?? []).map((value) => String(value ?? ""));
}
