/** Applies the search, sort and grouping of a table request to a table of the saved state. */

import type { SavedState } from "../core/saved/savedstate";
import { NeedsPython, type Params, type TableSource } from "./answerer";
import type { OfflineTable, OfflineTables } from "./offlinepart";
import { type Sort, searchRows, sortRows } from "./tables/order";
import { withShares } from "./tables/shares";
import { columnOf, type StoredTable, take } from "./tables/tables";

export interface Asked {
  name: string;
  group_by: string;
  search: string;
  sort: Sort | null;
  /** All rows that the request is about. */
  table: StoredTable;
  /** The rows that the search finds, sorted. */
  found: StoredTable;
  /** The rows without the name filter. */
  unnamed: StoredTable;
  /** Whether the saved state holds all rows. */
  complete: boolean;
  /** Whether the request is about fewer rows than the saved state has. */
  narrowed: boolean;
  tree: boolean;
  /** Extra fields of the page. */
  more(): Promise<object>;
}

/** @throws NeedsPython - the saved state lacks the table */
export async function ask(
  saved: SavedState,
  source: TableSource,
  params: Params,
  tables: OfflineTables,
): Promise<Asked> {
  const name = String(params.table);
  const special: OfflineTable = (Object.hasOwn(tables, name) && tables[name]) || {};
  const group_by = String(params.group_by || (saved.facts(name).group_by ?? ""));
  const inside = await source.table(name, group_by);
  if (!inside)
    throw new NeedsPython(source.lacks?.(name) ?? `The table ${name} is not in the saved state.`);
  const seen = (one: StoredTable) => special.narrow?.(saved, one, params) ?? one;
  const seenRows = seen(inside);
  const table = params.shares ? withShares(seenRows) : seenRows;
  const search = String(params.search ?? "").trim();
  const sort = sortOf(table, params.sort);
  const lines = special.lines?.(table, params, sort);
  const found = lines ?? take(table, sortRows(table, searchRows(table, search), sort));
  return {
    name,
    group_by,
    search,
    sort,
    table,
    unnamed: inside.unnamed ? seen(inside.unnamed) : table,
    found,
    complete: inside.length >= inside.about.rows,
    narrowed: special.isNarrowed?.(saved, params) ?? false,
    tree: lines !== undefined,
    more: async () => (await special.more?.(saved, source, params)) ?? {},
  };
}

/** The requested column and direction, or the default order if the table lacks the column. */
function sortOf(table: StoredTable, requested: unknown): Sort | null {
  if (Array.isArray(requested) && columnOf(table, String(requested[0])))
    return [String(requested[0]), requested[1] === "desc" ? "desc" : "asc"];
  return firstSort(table);
}

/** The first default sort column that has a value. */
export function firstSort(table: StoredTable): Sort | null {
  for (const name of table.about.sorts) {
    const column = columnOf(table, name);
    if (column && (table.length === 0 || column.values.some((value) => value !== null)))
      return [name, "desc"];
  }
  return null;
}
