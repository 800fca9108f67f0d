/** Peaks of memory in some steps, and what is held at them, as `nbprof/diffs/figures/memory.py`. */
import type { Value } from "../../../values/arrow";
import type { Cells, Facts } from "./facts";
import type { Sides } from "./sides";
import { chosen, type Used, WHOLE } from "./usedsteps";

/** The step that stands for the whole range. */
const EVERY = -1;
/** How many keys name a device: its type and its number. */
const DEVICE = 2;

interface Held {
  key: string;
  values: Map<string, number>;
}

/**
 * The values of each device in the step in which it has its peak, as those of whole recordings.
 *
 * @param peaks - the peaks of all steps; the values themselves may be these
 */
export function atPeaks(
  facts: Facts,
  peaks: Facts,
  sides: Sides,
): { facts: Facts; used: (readonly Used[])[] } {
  const rows: string[] = [];
  const cells = facts.cells.map((workers, side): Cells => {
    const named = facts.about.named === null ? () => true : sides.filterOf(facts, side);
    const found = new Map<string, Map<string, number>>();
    workers.forEach((of, worker) => {
      const steps = peakSteps(peaks, side, worker, keptBy(sides, side, worker));
      // Of several workers, the one with the largest value counts.
      for (const { key, values } of heldBy(facts, of, steps, named)) {
        const known = found.get(key) ?? new Map<string, number>();
        for (const [name, value] of values)
          known.set(name, Math.max(known.get(name) ?? Number.NEGATIVE_INFINITY, value));
        found.set(key, known);
      }
    });
    const row = [...found.keys()].map((key) => {
      const at = rows.indexOf(key);
      return at < 0 ? rows.push(key) - 1 : at;
    });
    const figures = [...(workers[0]?.values.keys() ?? [])];
    const values = figures.map((name): [string, number[]] => [
      name,
      [...found.values()].map((of) => of.get(name) ?? 0),
    ]);
    return { row, step: row.map(() => 0), values: new Map(values) };
  });
  const keys = rows.map((key) => JSON.parse(key) as Value[]);
  return {
    facts: {
      about: { ...facts.about, noisy: false },
      keys: facts.keys.map((_, at) => keys.map((key) => key[at] ?? null)),
      places: cells.map(({ row }) => rows.map((_, at) => row.indexOf(at))),
      cells: cells.map((one) => [one]),
    },
    used: cells.map(() => [WHOLE]),
  };
}

/** Whether a filter keeps a step of a worker, or the whole range. */
function keptBy({ steps, ranges }: Sides, side: number, at: number): (step: number) => boolean {
  const [range, worker] = [ranges[side] ?? null, steps.sides[side]?.workers[at]];
  if (range === null || !worker) return (step) => step === EVERY;
  const kept = chosen(worker, range);
  return (step) => kept[step] === true;
}

/** The step in which each device reaches its peak first. */
function peakSteps(
  peaks: Facts,
  side: number,
  worker: number,
  isKept: (step: number) => boolean,
): Map<string, number> {
  const largest = new Map<string, { peak: number; step: number }>();
  const { row = [], step = [], values } = peaks.cells[side]?.[worker] ?? {};
  const sizes = values?.get("peak_bytes") ?? [];
  row.forEach((one, at) => {
    const [device, peak, here] = [deviceOf(peaks, one), sizes[at] ?? 0, step[at] ?? 0];
    const known = largest.get(device);
    if (isKept(here) && (!known || peak > known.peak)) largest.set(device, { peak, step: here });
  });
  return new Map([...largest].map(([device, found]) => [device, found.step]));
}

/** The values of a worker at its peaks; a device that is the only one of its kind has no number. */
function heldBy(
  facts: Facts,
  { row, step, values }: Cells,
  steps: ReadonlyMap<string, number>,
  named: (key: number) => boolean,
): Held[] {
  const kept = row.flatMap((one, at) =>
    steps.get(deviceOf(facts, one)) === step[at] && named(one) ? [at] : [],
  );
  const devices = new Set(kept.map((at) => deviceOf(facts, row[at] ?? 0)));
  const types = [...devices].map((device) => (JSON.parse(device) as Value[])[0]);
  return kept.map((at) => {
    const key = facts.keys.map((of) => of[row[at] ?? 0] ?? null);
    if (types.filter((type) => type === key[0]).length === 1) key[1] = null;
    const own = [...values].map(([name, of]): [string, number] => [name, of[at] ?? 0]);
    return { key: JSON.stringify(key), values: new Map(own) };
  });
}

function deviceOf({ keys }: Facts, row: number): string {
  return JSON.stringify(keys.slice(0, DEVICE).map((of) => of[row] ?? null));
}
