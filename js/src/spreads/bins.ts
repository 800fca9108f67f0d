/** Sorts the values of columns into bins, as `nbprof/widgets/requests/spreads.py` does. */
import type { Spread } from "../core/protocol/protocol";
import type { Column, Rows } from "../values/arrow";

/** Tables with more rows have them; as in Python, like the numbers below. */
const FEW_ROWS = 50;
const BINS = 20;
/** From this ratio of the largest to the smallest value on, bins are of one ratio. */
const FAR = 100;
/** A column that spans more has none: its edges may be no numbers. */
const MOST = 1e300;

/** How the values of each numeric column are spread. */
export function spreadsOf({ length, columns }: Rows): Record<string, Spread> {
  const found: Record<string, Spread> = {};
  if (length <= FEW_ROWS) return found;
  for (const column of columns) {
    if (column.kind !== "int" && column.kind !== "float") continue;
    const spread = spreadOf(column, length);
    if (spread) found[column.name] = spread;
  }
  return found;
}

function spreadOf({ kind, at }: Column, length: number): Spread | null {
  const values: number[] = [];
  for (let row = 0; row < length; row += 1) {
    const value = at(row);
    if (Number.isFinite(value)) values.push(value as number);
  }
  const low = values.reduce((least, value) => Math.min(least, value), Infinity);
  const high = values.reduce((most, value) => Math.max(most, value), -Infinity);
  if (!(high > low && high - low < MOST)) return null;
  const single = kind === "int" && high - low < BINS;
  const all = single
    ? Array.from({ length: high - low + 2 }, (_, at) => low + at)
    : edgesOf(low, high);
  const edges = [...new Set(all)].sort((a, b) => a - b);
  const counts = edges.slice(1).map(() => 0);
  for (const value of values) {
    let [first, end] = [0, counts.length];
    while (end - first > 1) {
      const middle = (first + end) >> 1;
      if ((edges[middle] ?? 0) <= value) first = middle;
      else end = middle;
    }
    counts[first] = (counts[first] ?? 0) + 1;
  }
  return { edges, counts, single };
}

/** Short numbers around all values. */
function edgesOf(low: number, high: number): number[] {
  const far = low > 0 && high > FAR * low;
  const [first, last] = far ? [Math.log(low), Math.log(high)] : [low, high];
  const width = (last - first) / BINS;
  const edges = Array.from({ length: BINS + 1 }, (_, at) => {
    const edge = first + width * at;
    return short(far ? Math.exp(edge) : edge);
  });
  // Rounded outwards, so that no value is left out.
  const [least, most] = [short(low), short(high)];
  edges[0] = least <= low ? least : short(low - Math.abs(low) * 1e-4);
  edges[BINS] = most >= high ? most : short(high + Math.abs(high) * 1e-4);
  return edges;
}

function short(value: number): number {
  return Number(value.toPrecision(5));
}
