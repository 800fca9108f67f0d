/** Makes the entries of the Export menu for small tables without grouping. */

import type { Context, TableExport } from "../core/context";

/** The entry of a table of which all rows and all columns with values are shown. */
export function plainExport({ session }: Context, title: string, table: string): TableExport {
  const { state } = session;
  const query = { state, table, group_by: "", sort: null, search: "" };
  return { title, query, columns: [], sort: null, seen: [0, Number.POSITIVE_INFINITY] };
}
