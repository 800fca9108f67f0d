/** Turns a table into the lines of a tree, as `nbprof/widgets/views/trees.py` does. */

import { matcherOrNone } from "../offline/tables/match";
import { allRows, type Sort, sortRows } from "../offline/tables/order";
import { type StoredTable, take, valuesOf, withColumns } from "../offline/tables/tables";
import type { TreeExpansion } from "../table/pagestore";
import type { Kind, Value } from "../values/arrow";

/** The first levels are open at first, up to this number of lines. */
const FIRST_LINES = 14;

type Below = Map<number | null, number[]>;

/** Return the rows whose parents are all open, with `level`, `expanded` and `match`. */
export function treeLines(
  table: StoredTable,
  expansion: TreeExpansion,
  sort: Sort | null,
  id = "module_id",
  parent = "parent_id",
  path: readonly number[] = [],
): StoredTable {
  const values = (name: string) => valuesOf(table, name);
  const parents = values(parent);
  const rowOf = new Map(values(id).map((one, row) => [one, row]));
  const above = (row: number) => rowOf.get(parents[row] ?? null) ?? null;
  const below: Below = new Map();
  for (const row of sortRows(table, allRows(table), sort)) {
    const over = above(row);
    const siblings = below.get(over);
    if (siblings) siblings.push(row);
    else below.set(over, [row]);
  }
  const search = (expansion.search ?? "").trim();
  const found = search ? matcherOrNone(search) : null;
  const matches = values("name").map((name) => found?.(name as string | null) ?? false);
  const opened = firstOpen(below, expansion.all ?? null);
  const last = path.at(-1);
  if (last !== undefined && (expansion.all ?? null) === null) {
    for (const row of path) if (below.has(row)) opened.add(row);
    if (!search) matches[last] = true;
  }
  matches.forEach((matching, row) => {
    for (let up = matching ? above(row) : null; up !== null; up = above(up)) opened.add(up);
  });
  for (const [one, open] of Object.entries(expansion.folds ?? {})) {
    const row = rowOf.get(Number(one));
    if (row === undefined) continue;
    if (open) opened.add(row);
    else opened.delete(row);
  }
  const lines = visible(below, opened);
  const rows = lines.map(([row]) => row);
  return withColumns(
    take(table, rows),
    made(
      "level",
      "int",
      lines.map(([, level]) => level),
    ),
    made(
      "expanded",
      "bool",
      rows.map((row) => (below.has(row) ? opened.has(row) : null)),
    ),
    made(
      "match",
      "bool",
      rows.map((row) => matches[row] === true),
    ),
  );
}

function made(name: string, kind: Kind, values: Value[]) {
  return { name, kind, unit: "", meaning: "", values };
}

/** The rows that are open before the user opens any. */
function firstOpen(below: Below, everything: boolean | null): Set<number> {
  const parents = [...below.keys()].filter((row) => row !== null);
  if (everything !== null) return new Set(everything ? parents : []);
  const opened = new Set<number>();
  let level = below.get(null) ?? [];
  let lines = level.length;
  while (level.length) {
    const inside = level.flatMap((row) => below.get(row) ?? []);
    lines += inside.length;
    if (lines > FIRST_LINES) break;
    for (const row of level) if (below.has(row)) opened.add(row);
    level = inside;
  }
  return opened;
}

/** The visible rows with their levels, in the order of the tree. */
function visible(below: Below, opened: ReadonlySet<number>): [row: number, level: number][] {
  const lines: [number, number][] = [];
  const waiting = [...(below.get(null) ?? [])].reverse().map((row): [number, number] => [row, 1]);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    lines.push(next);
    const [row, level] = next;
    if (!opened.has(row)) continue;
    for (const inside of [...(below.get(row) ?? [])].reverse()) waiting.push([inside, level + 1]);
  }
  return lines;
}
