/** Reduces a step function to pixel columns, as `nbprof/timeline/curves/step_functions.py` does. */

interface Reduced {
  time: number[];
  last: number[];
  low: number[];
  high: number[];
}

/**
 * Columns without a change are left out, except the first; nothing is averaged.
 *
 * @param times - ascending, µs; several values may have one time
 */
export function reduceSteps(
  times: readonly number[],
  values: readonly number[],
  { start_us, end_us }: { start_us: number; end_us: number },
  columns: number,
): Reduced {
  const points: Reduced = { time: [], last: [], low: [], high: [] };
  const pitch = (end_us - start_us) / columns;
  let at = 0;
  while (at < times.length && (times[at] as number) <= start_us) at += 1;
  let value = values[at - 1];
  const add = (time: number, last: number, low: number, high: number) => {
    points.time.push(time);
    points.last.push(last);
    points.low.push(low);
    points.high.push(high);
  };
  if (value !== undefined) add(start_us, value, value, value);
  while (at < times.length && (times[at] as number) <= end_us) {
    const column = Math.min(columns - 1, Math.floor(((times[at] as number) - start_us) / pitch));
    const edge = start_us + (column + 1) * pitch;
    let [low, high] = [value ?? (values[at] as number), value ?? (values[at] as number)];
    const time = value === undefined ? (times[at] as number) : start_us + column * pitch;
    do {
      value = values[at] as number;
      low = Math.min(low, value);
      high = Math.max(high, value);
      at += 1;
    } while (
      at < times.length &&
      ((times[at] as number) < edge || column === columns - 1) &&
      (times[at] as number) <= end_us
    );
    add(time, value, low, high);
  }
  return points;
}
