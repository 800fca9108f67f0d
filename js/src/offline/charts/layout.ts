/** Layout helpers for charts: keep labels apart and choose round ticks; as `nbprof/charts/layout.py`. */

/** Move positions as little as possible so that neighbours are `least` apart. */
export function spread(wanted: readonly number[], least: number, low: number, high: number) {
  const count = wanted.length;
  const pitch = count > 1 ? Math.min(least, (high - low) / (count - 1)) : least;
  const blocks: [mean: number, size: number][] = [];
  wanted.forEach((position, index) => {
    let mean = position - index * pitch;
    let size = 1;
    for (let last = blocks.at(-1); last && last[0] >= mean; last = blocks.at(-1)) {
      blocks.pop();
      mean = (last[0] * last[1] + mean * size) / (last[1] + size);
      size += last[1];
    }
    blocks.push([mean, size]);
  });
  const ceiling = high - (count - 1) * pitch;
  const flat = blocks.flatMap(([mean, size]) =>
    Array.from({ length: size }, () => Math.min(Math.max(mean, low), ceiling)),
  );
  return flat.map((position, index) => position + index * pitch);
}

/** Move the middles of labels of different widths as little as possible so that none overlap. */
export function sideBySide(
  wanted: readonly number[],
  widths: readonly number[],
  gap: number,
  low: number,
  high: number,
) {
  let end = 0;
  const offsets = widths.map((width) => {
    const middle = end + width / 2;
    end += width + gap;
    return middle;
  });
  const room = Math.max(high - low - (end - gap), 0);
  const begins = wanted.map((at, index) => at - (offsets[index] ?? 0));
  const moved = spread(begins, 0, low, low + room);
  return moved.map((begin, index) => begin + (offsets[index] ?? 0));
}

/** Return four or five round ticks from 0. */
export function roundTicks(maximum: number): number[] {
  const top = maximum > 1e-300 ? maximum : 1;
  const power = 10 ** Math.floor(Math.log10(top / 4));
  const steps = [1, 2, 2.5, 5, 10, 20, 25].map((factor) => power * factor);
  const few = (count: number) => count === 3 || count === 4;
  const over = steps
    .map((step): [number, number] => [step, Math.ceil((top * (1 - 1e-9)) / step)])
    .filter(([, count]) => few(count))
    .sort((a, b) => a[0] * a[1] - b[0] * b[1]);
  let [step, count] = over[0] ?? [top / 4, 4];
  if (step * count > 1.15 * top) {
    const under = steps
      .map((one): [number, number] => [one, Math.floor((top * (1 + 1e-9)) / one)])
      .find(([, intervals]) => few(intervals));
    if (under) [step, count] = under;
  }
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

/** Return round ticks inside a range, at most so many, at a constant step. */
export function ticksBetween(low: number, high: number, most: number): number[] {
  const power = 10 ** Math.floor(Math.log10((high - low) / most));
  for (const factor of [1, 2, 5, 10, 20]) {
    const step = power * factor;
    const [first, last] = [Math.ceil(low / step - 1e-9), Math.floor(high / step + 1e-9)];
    if (last - first < most)
      return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) * step);
  }
  return [];
}

/** Return n so that every nth label of a row fits: 1, 2 or 5 times a power of ten. */
export function labelEvery(count: number, room: number, width: number): number {
  const factors = [2, 2.5, 2];
  let every = 1;
  for (let index = 0; every * room < width && every < count; index += 1)
    every = Math.floor(every * (factors[index % 3] ?? 2));
  return every;
}

/** The largest value, 0 without any. */
export const highest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);
