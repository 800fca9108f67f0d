/** Draws times by name: as a donut, or as bars where the times overlap. */
import type { Drawing } from "../../chart/drawing";
import type { UnitChoice } from "../../values/format";
import type { Question } from "../offlinepart";
import { columnOf, type StoredTable, texts } from "../tables/tables";
import { donut } from "./donut";
import { nestedBars, type Whole } from "./nestedbars";

interface DonutLook {
  unit: UnitChoice;
  top: number | null;
  width: number;
}

/** A table by name; under a name filter with all its names, and which of them the filter keeps. */
export async function amongNames({ source, around }: Question, name: string) {
  const filtered = await source.table(name, "name");
  const every = await around("name")?.table(name, "name");
  const names = new Set(filtered && texts(filtered, "name"));
  const isKept = every ? (one: string) => names.has(one) : null;
  return { filtered, table: every ?? filtered, isKept };
}

/**
 * Draw times by name as a donut, or as bars with percentages of a whole that they do not add up to.
 *
 * Under a name filter, the table has all names, and those outside of the filter are muted. If the
 * saved state lacks rows, their sum is part of the remainder.
 */
export function byName(
  table: StoredTable,
  column: string,
  title: string,
  look: DonutLook,
  whole?: Whole | null,
  isKept: ((name: string) => boolean) | null = null,
): Drawing | null {
  const values = columnOf(table, column)?.values ?? [];
  if (values.every((value) => value === null)) return null;
  const names = texts(table, "name");
  const slots = new Map(names.map((name, row) => [name, table.slots[row] ?? 0]));
  const slotOf = (name: string) => slots.get(name) ?? 0;
  const times = values.map((value) => (typeof value === "number" ? value : null));
  const missing = table.about.rows - table.length;
  if (whole)
    return missing > 0 ? null : nestedBars(names, times, slotOf, title, whole, look, isKept);
  let others = { count: 0, value: 0 };
  if (missing > 0) {
    const all = table.about.sums[column];
    if (all === undefined) return null;
    const inside = times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
    others = { count: missing, value: Math.max(0, all - inside) };
  }
  return donut(names, times, title, slotOf, { ...look, others, isKept });
}
