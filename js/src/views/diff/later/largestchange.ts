/** Where the tree opens at first, as `largest_change` of `nbprof/widgets/views/trees.py`. */
import type { StoredTable } from "../../../offline/tables/tables";
import type { Value } from "../../../values/arrow";

/** The path from the top to the row that explains most of a change. */
export function largestChange(table: StoredTable, figure: string): number[] {
  const [ids, parents] = [valuesOf(table, "row"), valuesOf(table, "parent")];
  const sizes = valuesOf(table, figure).map((value) => Math.abs(Number(value)));
  const size = (row: number | undefined) => sizes[row ?? -1] ?? 0;
  const path: number[] = [];
  for (;;) {
    const above = path.length ? ids[path.at(-1) ?? 0] : null;
    let best: number | undefined;
    parents.forEach((parent, row) => {
      if (parent === above && (best === undefined || size(row) > size(best))) best = row;
    });
    const least = path.length > 1 ? size(path.at(-1)) / 4 : 0;
    if (best === undefined || (path.length && (!size(best) || size(best) < least))) return path;
    path.push(best);
  }
}

function valuesOf(table: StoredTable, name: string): Value[] {
  return table.columns.find((column) => column.name === name)?.values ?? [];
}
