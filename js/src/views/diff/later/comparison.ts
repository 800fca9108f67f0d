/** Compares the values of both sides row by row, as `nbprof/diffs/values/comparison.py`. */
import type { Value } from "../../../values/arrow";
import type { Cells, Facts } from "./facts";
import { noise, type Spread, spread } from "./statistics";
import type { Used } from "./usedsteps";

/** A difference of at most this many times the noise is no change. */
const NOISES = 2;

export type ChangeWord = "added" | "removed" | "up" | "down" | "same";

/** A figure of a row on both sides; NaN where a side has no source for it. */
export interface Change {
  baseline: number;
  candidate: number;
  delta: number;
  noise: number;
  /** As percentages of the baseline; null without one. */
  delta_pct: number | null;
  noise_pct: number | null;
}

/** The values of a side: of each row, of each figure, one for every step that counts. */
interface SideValues {
  rows: Map<string, Map<string, number[]>>;
  figures: Set<string>;
}

export class Comparison {
  /** The keys of all rows: first those of the baseline. */
  readonly keys: string[];
  readonly #sides: [SideValues, SideValues];

  /**
   * @param facts - the values of every step
   * @param used - the steps that count, of each worker of both sides
   * @param named - whether a filter of names keeps a key, for each side
   */
  constructor(
    readonly facts: Facts,
    private readonly used: readonly (readonly Used[])[],
    named: readonly ((key: number) => boolean)[],
  ) {
    const sides = [0, 1].map((side) =>
      valuesOf(facts, side, used[side] ?? [], named[side] ?? (() => true)),
    );
    this.#sides = sides as [SideValues, SideValues];
    const [baseline, candidate] = this.#sides;
    const only = [...candidate.rows.keys()].filter((key) => !baseline.rows.has(key));
    this.keys = [...baseline.rows.keys(), ...only];
  }

  get complete(): [number, number] {
    const { noisy } = this.facts.about;
    const least = (of: readonly Used[] = []) => Math.min(...of.map(({ complete }) => complete));
    return noisy ? [least(this.used[0]), least(this.used[1])] : [0, 0];
  }

  has(figure: string): boolean {
    return this.#sides.every(({ figures }) => figures.has(figure));
  }

  change(key: string, figure: string): Change {
    const [before, after] = this.#sides.map((side, at): Spread => {
      if (!side.figures.has(figure)) return { median: Number.NaN, deviation: Number.NaN };
      return spread(side.rows.get(key)?.get(figure) ?? [], this.used[at]?.[0]?.count ?? 0);
    }) as [Spread, Spread];
    const error = noise(before, after, this.complete);
    const [baseline, candidate] = [before.median, after.median];
    const delta = candidate - baseline;
    const share = (of: number) => {
      const value = (100 * of) / baseline;
      return baseline === 0 || Number.isNaN(value) ? null : value;
    };
    return {
      baseline,
      candidate,
      delta,
      noise: error,
      delta_pct: share(delta),
      noise_pct: share(error),
    };
  }

  /** The change of a figure or, where that is 0 on both sides, of another. */
  judged(key: string, figure: string, instead = ""): Change {
    const change = this.change(key, figure);
    const isNothing = change.baseline === 0 && change.candidate === 0;
    return isNothing && this.has(instead) ? this.change(key, instead) : change;
  }

  /** What became of a row, by its main figure and by which sides have it. */
  word(
    key: string,
    { delta, noise: error }: Change,
    [before, after] = this.#sides.map(({ rows }) => rows.has(key)),
  ): ChangeWord {
    if (this.#isNothing(key)) return "same"; // in fewer than half of the steps of either side
    if (!after) return "removed";
    if (!before) return "added";
    const calm = Number.isNaN(error) ? delta === 0 : Math.abs(delta) <= NOISES * error;
    if (calm || Number.isNaN(delta)) return "same";
    return delta > 0 ? "up" : "down";
  }

  /** The keys by the size of their change, the largest first. */
  bySize(figure: string): string[] {
    const sizes = new Map(
      this.keys.map((key) => {
        const { baseline, candidate, delta } = this.change(key, figure);
        return [key, [Math.abs(delta) || 0, Math.max(baseline, candidate) || 0] as const];
      }),
    );
    return [...this.keys].sort((one, other) => {
      const [a, b] = [sizes.get(one) ?? [0, 0], sizes.get(other) ?? [0, 0]];
      return b[0] - a[0] || b[1] - a[1];
    });
  }

  #isNothing(key: string): boolean {
    const figures = new Set(this.#sides.flatMap(({ figures: of }) => [...of]));
    return [...figures].every((figure) => {
      const { baseline, candidate } = this.change(key, figure);
      return !baseline && !candidate;
    });
  }
}

/** The key of a row as text: the values of the columns that make it. */
export function keyOf({ about, keys }: Facts, row: number): string {
  return JSON.stringify(keys.slice(0, about.width ?? keys.length).map((of) => of[row]));
}

export function partsOf(key: string): Value[] {
  return JSON.parse(key) as Value[];
}

/** Gather the values of a side in the order of its rows; several workers have their mean. */
function valuesOf(
  facts: Facts,
  side: number,
  used: readonly Used[],
  named: (key: number) => boolean,
): SideValues {
  const workers = facts.cells[side] ?? [];
  const places = facts.places[side] ?? [];
  const figures = [...(workers[0]?.values.keys() ?? [])].filter((name) =>
    workers.every(({ values }) => values.has(name)),
  );
  const found = new Map<number, Map<string, number[]>>();
  workers.forEach((cells, worker) => {
    addCells(found, cells, used[worker], figures, workers.length, named);
  });
  const order = [...found.keys()].sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0));
  const rows: SideValues["rows"] = new Map();
  for (const row of order) {
    const key = keyOf(facts, row);
    const [own, sums] = [found.get(row), rows.get(key)];
    if (!own) continue;
    if (!sums) rows.set(key, own);
    else
      for (const [name, values] of own)
        values.forEach((value, at) => {
          const sum = sums.get(name);
          if (sum) sum[at] = (sum[at] ?? 0) + value;
        });
  }
  return { rows, figures: new Set(figures) };
}

function addCells(
  found: Map<number, Map<string, number[]>>,
  { row, step, values }: Cells,
  used: Used | undefined,
  figures: readonly string[],
  workers: number,
  named: (key: number) => boolean,
): void {
  row.forEach((one, at) => {
    const place = used?.place[step[at] ?? 0] ?? -1;
    if (place < 0 || !named(one)) return;
    let own = found.get(one);
    if (!own) {
      own = new Map(figures.map((name) => [name, new Array<number>(used?.count ?? 0).fill(0)]));
      found.set(one, own);
    }
    for (const [name, sums] of own)
      sums[place] = (sums[place] ?? 0) + (values.get(name)?.[at] ?? 0) / workers;
  });
}
