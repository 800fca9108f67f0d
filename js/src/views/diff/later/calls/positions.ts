/** What the steps that count consist of, as `nbprof/diffs/trees/positions.py`. */
import type { Used } from "../usedsteps";
import type { Label, Outline } from "./outline";

const STEP: Label = [-1, "", ""];

/** The positions of a step; position 0 is the step itself. */
export interface Positions {
  children: number[][];
  label: Label[];
  backward: boolean[];
  occurrence: number[];
  shapes: string[];
  /** The position of each call of the outline, -1 for those that do not count. */
  place: number[];
}

/** The positions that more than half of the steps that count have. */
export function positionsOf(outline: Outline, { place: steps, count }: Used): Positions {
  const { row, step, among, parent, labels } = outline;
  const all = parent.length;
  const there = new Array<number>(all).fill(0);
  const sums = new Array<number>(all).fill(0);
  const first = new Array<number>(all).fill(-1);
  const at = (call: number) => steps[step[call] ?? -1] ?? -1;
  row.forEach((position, call) => {
    const place = at(call);
    if (place < 0) return;
    there[position] = (there[position] ?? 0) + 1;
    sums[position] = (sums[position] ?? 0) + (among[call] ?? 0);
    const before = first[position] ?? -1;
    if (before < 0 || place < at(before)) first[position] = call;
  });
  const kept = there.flatMap((found, position) =>
    position === 0 || 2 * found > count ? [position] : [],
  );
  const place = new Array<number>(all).fill(-1);
  kept.forEach((position, order) => {
    place[position] = order;
  });
  const mean = (position: number) => (sums[position] ?? 0) / Math.max(there[position] ?? 0, 1);
  const children: number[][] = kept.map(() => []);
  for (const position of kept.slice(1).sort((one, other) => mean(one) - mean(other) || one - other))
    children[place[parent[position] ?? 0] ?? 0]?.push(place[position] ?? 0);
  const shown = (position: number) => first[position] ?? -1;
  const below = kept.slice(1);
  return {
    children,
    label: [STEP, ...below.map((one) => labels[outline.label[shown(one)] ?? -1] ?? STEP)],
    backward: [false, ...below.map((one) => outline.backward[shown(one)] === 1)],
    occurrence: kept.map((one) => outline.occurrence[one] ?? 1),
    shapes: ["", ...below.map((one) => outline.shapes[outline.shape[shown(one)] ?? -1] ?? "")],
    place: row.map((position, call) => (at(call) < 0 ? -1 : (place[position] ?? -1))),
  };
}
