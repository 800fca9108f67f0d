/** Medians over steps and their noise, as `nbprof/diffs/values/statistics.py`. */

/** Makes the median absolute deviation an estimate of the standard deviation of normal values. */
const MAD_SCALE = 1.4826;
/** With fewer complete steps than this on a side there is no estimate of the noise. */
export const LEAST_STEPS = 3;
/** With fewer, the estimate is rough. */
export const ENOUGH_STEPS = 10;

export interface Spread {
  median: number;
  deviation: number;
}

/** The median and the deviation of a row that has no value in some steps, where it counts as 0. */
export function spread(values: readonly number[], steps: number): Spread {
  if (steps === 0) return { median: 0, deviation: 0 };
  const every = Float64Array.from({ length: steps }, (_, at) => values[at] ?? 0).sort();
  const middle = median(every);
  const off = every.map((value) => Math.abs(value - middle)).sort();
  return { median: middle, deviation: MAD_SCALE * median(off) };
}

function median(ordered: Float64Array): number {
  const low = ordered[(ordered.length - 1) >> 1] as number;
  return ordered.length % 2 ? low : (low + (ordered[ordered.length >> 1] as number)) / 2;
}

/** The standard error of the difference of two medians; NaN without enough complete steps. */
export function noise(
  baseline: Spread,
  candidate: Spread,
  [before, after]: readonly [number, number],
): number {
  if (Math.min(before, after) < LEAST_STEPS) return Number.NaN;
  return Math.sqrt(baseline.deviation ** 2 / before + candidate.deviation ** 2 / after);
}
