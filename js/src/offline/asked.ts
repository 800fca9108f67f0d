/** The part of a table that a request is about, searched and sorted. */

import type { Snapshot } from "../core/snapshot";
import type { MemoryLens, TreeWish } from "../table/pages";
import { NeedsPython, type Params, type TableSource } from "./answerer";
import { flameKey } from "./flame";
import { isOfDevices, narrows, throughLens } from "./memory";
import { type Sort, searchRows, sortRows } from "./tables/order";
import { columnOf, type Inside, take } from "./tables/tables";
import { treeLines } from "./tables/treelines";

/** Of tables that can be grouped in several ways, the first of them. */
const FIRST_GROUPING: Record<string, string> = { operators: "name", kernels: "name" };

export interface Asked {
  name: string;
  group_by: string;
  search: string;
  sort: Sort | null;
  /** All rows that are looked at. */
  table: Inside;
  /** Those that the search finds, in order. */
  found: Inside;
  /** The same without the name filter. */
  unnamed: Inside;
  /** Whether all rows are inside. */
  complete: boolean;
  /** Whether fewer rows are looked at than the snapshot has. */
  narrowed: boolean;
  tree: boolean;
}

/** @throws NeedsPython - the table is not inside */
export async function ask(snapshot: Snapshot, source: TableSource, params: Params): Promise<Asked> {
  const name = String(params.table);
  const group_by = grouping(snapshot, name, params);
  const inside = await source.table(name, group_by);
  if (!inside)
    throw new NeedsPython(source.lacks?.(name) ?? `The table ${name} is not in the snapshot.`);
  const lens = params.memory as MemoryLens | undefined;
  const ofDevices = isOfDevices(name);
  const seen = (one: Inside) => (ofDevices ? throughLens(snapshot, one, lens) : one);
  const table = seen(inside);
  const search = String(params.search ?? "").trim();
  const sort = sortOf(table, params.sort);
  const tree = name === "modules" ? (params.tree as TreeWish | undefined) : undefined;
  const found = tree
    ? treeLines(table, tree, sort)
    : take(table, sortRows(table, searchRows(table, search), sort));
  return {
    name,
    group_by,
    search,
    sort,
    table,
    unnamed: inside.unnamed ? seen(inside.unnamed) : table,
    found,
    complete: inside.length >= inside.about.rows,
    narrowed: ofDevices && narrows(snapshot, lens),
    tree: tree !== undefined,
  };
}

function grouping(snapshot: Snapshot, name: string, params: Params): string {
  if (name === "flame") {
    const { by = "auto", order = "left_heavy" } = (params.flame ?? {}) as Record<string, string>;
    return flameKey(snapshot, by, order).slice("flame:".length);
  }
  return String(params.group_by || (FIRST_GROUPING[name] ?? ""));
}

/** Column and direction; a column that the table lacks gives way to the first order. */
function sortOf(table: Inside, wish: unknown): Sort | null {
  if (Array.isArray(wish) && columnOf(table, String(wish[0])))
    return [String(wish[0]), wish[1] === "desc" ? "desc" : "asc"];
  return firstSort(table);
}

/** The first of the columns to sort by that holds anything. */
export function firstSort(table: Inside): Sort | null {
  for (const name of table.about.sorts) {
    const column = columnOf(table, name);
    if (column && (table.length === 0 || column.values.some((value) => value !== null)))
      return [name, "desc"];
  }
  return null;
}
