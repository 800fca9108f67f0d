/** The modules of a trace as lines of a tree, as `nbprof/widgets/views/modules/rows.py` makes them. */

import type { TreeWish } from "../../table/pages";
import type { Kind, Value } from "../../values/arrow";
import { matcherOrNone } from "./match";
import { allRows, type Sort, sortRows } from "./order";
import { columnOf, type Inside, take, withColumns } from "./tables";

/** The tree opens its first levels by itself, as long as there are no more lines than this. */
const FIRST_LINES = 14;

type Below = Map<number | null, number[]>;

/** The modules whose parents are all open, with `level`, `expanded` and `match`. */
export function treeLines(table: Inside, wish: TreeWish, sort: Sort | null): Inside {
  const values = (name: string): Value[] => columnOf(table, name)?.values ?? [];
  const parents = values("parent_id");
  const rowOf = new Map(values("module_id").map((id, row) => [id, row]));
  const above = (row: number) => rowOf.get(parents[row] ?? null) ?? null;
  const below: Below = new Map();
  for (const row of sortRows(table, allRows(table), sort)) {
    const parent = above(row);
    const siblings = below.get(parent);
    if (siblings) siblings.push(row);
    else below.set(parent, [row]);
  }
  const search = (wish.search ?? "").trim();
  const found = search ? matcherOrNone(search) : null;
  const matches = values("name").map((name) => found?.(name as string | null) ?? false);
  const opened = firstOpen(below, wish.all ?? null);
  matches.forEach((matching, row) => {
    for (let up = matching ? above(row) : null; up !== null; up = above(up)) opened.add(up);
  });
  for (const [id, open] of Object.entries(wish.folds ?? {})) {
    const row = rowOf.get(Number(id));
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

/** The rows that are open before anybody opened one. */
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

/** Rows and their levels as the tree is read. */
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
