/** Merges call stacks into a tree of frames, as `nbprof/analysis/operators/frame_tree.py` does. */
import type { Value } from "../../values/arrow";
import type { Sort } from "./order";
import { allRows, compare } from "./order";
import { type StoredColumn, type StoredTable, texts } from "./tables";

interface Branch {
  rows: number[];
  depth: number;
  /** Where its frames begin and end in the paths of its rows. */
  start: number;
  end: number;
}

/** The lines of the tree, each under its parent, with the sums of the figures of the stacks. */
export function frameTree(stacks: StoredTable, sort: Sort | null): StoredTable {
  const paths = texts(stacks, "call_stack").map((stack) =>
    stack
      .split(";")
      .map((frame) => frame.trim())
      .filter(Boolean)
      .reverse(),
  );
  const figures = stacks.columns.filter(({ kind }) => kind !== "text");
  const calls = figures.find(({ name }) => name === "calls")?.values;
  const key = figures.find(({ name }) => name === sort?.[0]);
  const branches = (rows: readonly number[], start: number, depth: number): Branch[] => {
    const groups = new Map<string, number[]>();
    for (const row of rows) {
      const frame = paths[row]?.[start] ?? "";
      groups.set(frame, [...(groups.get(frame) ?? []), row]);
    }
    const found = [...groups.values()].map((own) => ({
      rows: own,
      depth,
      start,
      end:
        start +
        shared(
          own.map((row) => paths[row] ?? []),
          start,
        ),
    }));
    return key
      ? sorted(found, sort?.[1] === "desc" ? -1 : 1, (rows) => figureOf(key, rows, calls))
      : found;
  };
  const lines: Branch[] = [];
  const waiting = branches(allRows(stacks), 0, 0).reverse();
  for (let line = waiting.pop(); line; line = waiting.pop()) {
    lines.push(line);
    const { rows, end, depth } = line;
    const below = branches(rows, end, depth + 1);
    if (below.length > 1) waiting.push(...below.reverse());
  }
  const column = (name: string, kind: StoredColumn["kind"], values: Value[]) => ({
    name,
    kind,
    unit: "",
    meaning: "",
    values,
  });
  const frames = lines.map(({ rows: [row = 0], start, end }) =>
    (paths[row] ?? []).slice(start, end).join(";"),
  );
  return {
    about: stacks.about,
    length: lines.length,
    slots: [],
    columns: [
      column(
        "depth",
        "int",
        lines.map(({ depth }) => depth),
      ),
      column("frames", "text", frames),
      ...figures.map((figure) => ({
        ...figure,
        values: lines.map(({ rows }) => figureOf(figure, rows, calls)),
      })),
    ],
  };
}

/** How many frames from `start` on all paths have in common. */
function shared(paths: readonly string[][], start: number): number {
  const [first = []] = paths;
  let end = start;
  while (end < first.length && paths.every((path) => path[end] === first[end])) end += 1;
  return end - start;
}

function sorted(
  branches: Branch[],
  sign: number,
  figure: (rows: readonly number[]) => Value,
): Branch[] {
  const value = new Map(branches.map((branch) => [branch, figure(branch.rows)]));
  return branches.sort((a, b) => {
    const [one, other] = [value.get(a) ?? null, value.get(b) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * compare(Number(one), Number(other));
  });
}

/**
 * The figure of several stacks: sum, maximum, minimum or the mean of all calls; null if the column has
 * none of these.
 */
function figureOf(
  { name, kind, unit, values }: StoredColumn,
  rows: readonly number[],
  calls: readonly Value[] | undefined,
): Value {
  const known = rows.map((row) => values[row] ?? null).filter((value) => value !== null);
  const [first = null] = known;
  if (known.length < 1 || rows.length < 2) return first;
  const numbers = known.map(Number);
  if (/(^|_)max_/.test(name)) return Math.max(...numbers);
  if (/(^|_)min_/.test(name)) return Math.min(...numbers);
  if (calls && name.endsWith("mean_us")) {
    let [ns, count] = [0, 0];
    for (const row of rows) {
      const [mean, n] = [values[row] ?? null, Number(calls[row])];
      if (mean !== null) [ns, count] = [ns + Math.round(Number(mean) * n * 1e3), count + n];
    }
    return count ? ns / 1e3 / count : null;
  }
  if (/(^|_)mean_/.test(name) || kind === "bool" || (unit === "%" && name !== "pct")) return null;
  // Times are whole nanoseconds, which add up without an error of rounding.
  const whole =
    unit === "us" && numbers.every((us) => Math.abs(us * 1e3 - Math.round(us * 1e3)) < 1e-3);
  return whole
    ? numbers.reduce((sum, us) => sum + Math.round(us * 1e3), 0) / 1e3
    : numbers.reduce((sum, one) => sum + one, 0);
}
