/** Which steps count under a filter, as `nbprof/diffs/sides/used_steps.py` and `step_pairs.py`. */
import type { Steps } from "./facts";

export type Range = readonly [first: number, last: number];

/** The steps of a worker that count: places among all of them, -1 for others, and their number. */
export interface Used {
  /** For each step, its place among those that count, -1 for others. */
  place: number[];
  count: number;
  /** How many of them are complete. */
  complete: number;
}

type Worker = Steps["sides"][number]["workers"][number];

/** Whether a filter keeps each step of a worker. */
export function chosen({ number }: Worker, range: Range | null): boolean[] {
  return number.map((one) => range === null || (one >= range[0] && one <= range[1]));
}

/** The steps that count for each worker of a side, equally many of each. */
export function usedSteps(workers: readonly Worker[], range: Range | null): Used[] {
  const found = workers.map((worker) => {
    const kept = chosen(worker, range);
    const all = kept.flatMap((one, at) => (one ? [at] : []));
    const complete = all.filter((at) => worker.complete[at]);
    return { worker, index: complete.length ? complete : all, complete: complete.length };
  });
  if (found.length === 1) return found.map(({ worker, ...rest }) => used(worker, rest));
  const numbers = found.map(({ worker, index }) => index.map((at) => worker.number[at]));
  const shared = new Set(numbers[0]?.filter((one) => numbers.every((of) => of.includes(one))));
  const least = Math.min(...found.map(({ index }) => index.length));
  const complete = Math.min(...found.map((one) => one.complete));
  return found.map(({ worker, index }) => {
    const common = shared.size
      ? index.filter((at) => shared.has(worker.number[at]))
      : index.slice(0, least);
    return used(worker, { index: common, complete: Math.min(complete, common.length) });
  });
}

function used(worker: Worker, { index, complete }: { index: number[]; complete: number }): Used {
  const place = worker.number.map(() => -1);
  index.forEach((at, order) => {
    place[at] = order;
  });
  return { place, count: index.length, complete };
}

/** The single step that a recording counts as where there are no steps. */
export const WHOLE: Used = { place: [0], count: 1, complete: 0 };

type Pair = readonly [baseline: number | null, candidate: number | null];

/** All steps under a filter, those that belong together in pairs. */
export function stepPairs(sides: readonly Worker[], ranges: readonly (Range | null)[]): Pair[] {
  const places = sides.map((side, at) =>
    chosen(side, ranges[at] ?? null).flatMap((one, step) => (one ? [step] : [])),
  );
  const [mine = [], theirs = []] = places;
  const [baseline, candidate] = sides as [Worker, Worker];
  // A number that occurs twice, as after a restart, stands for its first step.
  const byNumber = sides.map(
    ({ number }, at) => new Map([...(places[at] ?? [])].reverse().map((one) => [number[one], one])),
  ) as [Map<number, number>, Map<number, number>];
  const partner = new Map<number, number>();
  for (const [number, at] of byNumber[0]) {
    const other = byNumber[1].get(number);
    if (other !== undefined) partner.set(other, at);
  }
  if (!partner.size) {
    const complete = mine.filter((at) => baseline.complete[at]);
    theirs
      .filter((at) => candidate.complete[at])
      .forEach((at, order) => {
        const one = complete[order];
        if (one !== undefined) partner.set(at, one);
      });
  }
  const paired = new Set(partner.values());
  const found: Pair[] = [];
  const waiting = [...mine];
  for (const at of theirs) {
    const one = partner.get(at);
    if (one !== undefined) {
      let next = waiting.shift();
      while (next !== undefined && next !== one) {
        if (!paired.has(next)) found.push([next, null]);
        next = waiting.shift();
      }
    }
    found.push([one ?? null, at]);
  }
  return [...found, ...waiting.filter((at) => !paired.has(at)).map((at) => [at, null] as const)];
}
