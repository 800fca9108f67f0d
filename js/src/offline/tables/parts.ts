/** Sums the partials of some steps into a table, as `nbprof/analysis/steps/step_parts_tables.py`. */

import type { SavedState } from "../../core/saved/savedstate";
import type { Value } from "../../values/arrow";
import { readColumns, type StoredColumn, type StoredTable, valuesOf } from "./tables";

/** How a column is computed from figures; see `StepParts` in Python. */
type Recipe =
  | ["sum" | "us" | "any" | "min_us" | "max_us", figure: string]
  | ["mean_us", figure: string, count: string]
  | ["share", figure: string, scale: number, of?: string]
  | ["ratio", part: string, whole: string, scale: number];

interface PartsAbout {
  columns: Record<string, Recipe>;
  order: [figure: string, direction: "asc" | "desc"][];
  /** A row is shown if one of these figures is not 0; without figures, if it has a part. */
  shown: string[];
}

export interface Parts {
  about: PartsAbout;
  length: number;
  /** The number of the step, -1 outside of all steps. */
  step: number[];
  row: number[];
  figures: Map<string, number[]>;
}

export function partsKey(table: string, group_by: string): string {
  return `partials:${table}:${group_by}`;
}

export async function readParts(saved: SavedState, key: string): Promise<Parts | undefined> {
  const about = saved.about<PartsAbout>(key);
  const rows = await saved.rows(key);
  if (!about || !rows) return undefined;
  const columns = readColumns(rows);
  const numbers = (column: StoredColumn | undefined) => (column?.values ?? []).map(Number);
  const named = (name: string) => numbers(columns.find((column) => column.name === name));
  const step = named("step");
  const figures = new Map(columns.map((column) => [column.name, numbers(column)]));
  return { about, length: step.length, step, row: named("row"), figures };
}

/** The figures of each row of a table, summed over some steps. */
class Sums {
  readonly seen: boolean[];
  readonly #sums = new Map<string, number[]>();

  constructor(
    rows: number,
    private readonly parts: Parts,
    private readonly used: readonly number[],
  ) {
    this.seen = new Array<boolean>(rows).fill(false);
    for (const at of used) this.seen[parts.row[at] ?? 0] = true;
  }

  /** The sums of a figure; the maximum of a "max…" figure, the minimum of "min…" and "first…". */
  of(name: string): number[] {
    let sums = this.#sums.get(name);
    if (!sums) {
      sums = this.#add(name);
      this.#sums.set(name, sums);
    }
    return sums;
  }

  #add(name: string): number[] {
    const most = name.startsWith("max_");
    const least = /^min_|^first$|^device$/.test(name);
    const { row, figures } = this.parts;
    const values = figures.get(name) ?? [];
    const start = most ? Number.NEGATIVE_INFINITY : least ? Number.POSITIVE_INFINITY : 0;
    const sums = new Array<number>(this.seen.length).fill(start);
    for (const at of this.used) {
      const to = row[at] ?? 0;
      const [before, value] = [sums[to] as number, values[at] ?? 0];
      sums[to] = most ? Math.max(before, value) : least ? Math.min(before, value) : before + value;
    }
    return sums;
  }
}

/**
 * Compute a table over some steps and some names.
 *
 * @param steps - whether a step counts; null for all steps and the time outside of them
 * @param named - whether a row of the table counts
 */
export function regroup(
  table: StoredTable,
  parts: Parts,
  steps: ((number: number) => boolean) | null,
  named: (row: number) => boolean,
): StoredTable {
  const used: number[] = [];
  for (let at = 0; at < parts.length; at += 1)
    if (steps === null || steps(parts.step[at] ?? -1)) used.push(at);
  const sums = new Sums(table.length, parts, used);
  const { about } = parts;
  const holds = (row: number) =>
    !about.shown.length || about.shown.some((figure) => sums.of(figure)[row] !== 0);
  const rows: number[] = [];
  for (let row = 0; row < table.length; row += 1)
    if (sums.seen[row] && named(row) && holds(row)) rows.push(row);
  const keys = about.order.map(
    ([figure, direction]) => [sums.of(figure), direction === "desc" ? -1 : 1] as const,
  );
  rows.sort((a, b) => {
    for (const [values, sign] of keys) {
      const difference = sign * ((values[a] as number) - (values[b] as number));
      if (difference) return difference;
    }
    return a - b;
  });
  const columns = table.columns.map((column) => {
    const recipe = about.columns[column.name];
    return { ...column, values: recipe ? compute(recipe, sums, rows) : pick(column, rows) };
  });
  const slots = table.slots.length ? rows.map((row) => table.slots[row] ?? 0) : [];
  return { about: table.about, length: rows.length, columns, slots };
}

function pick(column: StoredColumn, rows: readonly number[]): Value[] {
  return rows.map((row) => column.values[row] ?? null);
}

/** Apply a recipe in the order of operations of Python, so that every digit is the same. */
function compute(recipe: Recipe, sums: Sums, rows: readonly number[]): Value[] {
  const at = (figure: string) => rows.map((row) => sums.of(figure)[row] as number);
  switch (recipe[0]) {
    case "sum":
      return at(recipe[1]);
    case "any":
      return at(recipe[1]).map((value) => value > 0);
    case "mean_us": {
      const counts = at(recipe[2]);
      return at(recipe[1]).map((value, index) => value / Math.max(counts[index] ?? 1, 1) / 1000);
    }
    case "share": {
      const whole = at(recipe[3] ?? recipe[1]).reduce((sum, value) => sum + value, 0);
      return at(recipe[1]).map((value) => (whole === 0 ? null : recipe[2] * (value / whole)));
    }
    case "ratio": {
      const wholes = at(recipe[2]);
      return at(recipe[1]).map((value, index) => {
        const whole = wholes[index] ?? 0;
        return whole === 0 ? null : recipe[3] * (value / whole);
      });
    }
    default:
      return at(recipe[1]).map((value) => value / 1000);
  }
}

/** The names of a table's rows that a name filter is matched against. */
export function namesOf(table: StoredTable): (string | null)[] {
  return valuesOf(table, "name").map((name) => (typeof name === "string" ? name : null));
}
