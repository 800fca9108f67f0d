/** Searches and sorts tables, as `nbprof/widgets/requests/pages.py` does. */
import type { Value } from "../../values/arrow";
import { parseConditions, testOf } from "./conditions";
import { lower } from "./lower";
import { matcher } from "./match";
import { columnOf, type StoredColumn, type StoredTable } from "./tables";

export type Sort = [column: string, direction: "asc" | "desc"];

/** Columns that a search covers. */
const SEARCHED = [
  "name",
  "recorded_name",
  "operator",
  "launched_by",
  "module",
  "annotation",
  "forward_operator",
];
/** Columns of sizes such as [8, 16, 1], which are sorted by their product. */
const SIZES = ["grid", "block"];

export function allRows(table: StoredTable): number[] {
  return Array.from({ length: table.length }, (_, row) => row);
}

/** The rows of which a name contains a text, or that meet conditions on columns. */
export function searchRows(table: StoredTable, text: string): number[] {
  if (!text) return allRows(table);
  const conditions = parseConditions(text, table);
  if (conditions.length) {
    const tests = conditions.map((one) => ({ test: testOf(one), values: one.column.values }));
    return allRows(table).filter((row) =>
      tests.every(({ test, values }) => test(values[row] ?? null)),
    );
  }
  const found = matcher(text);
  const columns = SEARCHED.flatMap((name) => columnOf(table, name) ?? []);
  return allRows(table).filter((row) =>
    columns.some(({ values }) => {
      const value = values[row] ?? null;
      return typeof value === "string" && found(value);
    }),
  );
}

/** Sort rows stably; nulls come last. */
export function sortRows(table: StoredTable, rows: number[], sort: Sort | null): number[] {
  const column = sort && columnOf(table, sort[0]);
  if (!column) return rows;
  const key = keyOf(column);
  const keys = new Map(rows.map((row) => [row, key(column.values[row] ?? null)]));
  const sign = sort[1] === "desc" ? -1 : 1;
  return [...rows].sort((a, b) => {
    const [one, other] = [keys.get(a) ?? null, keys.get(b) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(one, other);
  });
}

type Key = string | number | null;

function keyOf({ name, kind }: StoredColumn): (value: Value) => Key {
  if (kind === "bool") return (value) => (value === null ? null : Number(value));
  if (kind !== "text") return (value) => value as number | null;
  if (SIZES.includes(name)) return (value) => (value === null ? null : sizeOf(String(value)));
  // The return type is not shown, so sorting by it would look wrong.
  return (value) => (value === null ? null : lower(String(value).replace(/^void /, "")));
}

/** The product of the numbers of [8, 16, 1]. */
function sizeOf(text: string): number | null {
  const numbers = text.match(/\d+/g);
  return numbers?.reduce((product, number) => product * Number(number), 1) ?? null;
}

export function compare(one: string | number, other: string | number): number {
  if (typeof one === "number" && typeof other === "number") return one - other;
  return compareTexts(String(one), String(other));
}

/** Compare by code points, as Python does; JavaScript compares UTF-16 units. */
function compareTexts(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a !== b) return place(a) - place(b);
  }
  return one.length - other.length;
}

function place(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
