/** Reads the calls of every step of both sides, as `nbprof/widgets/views/diff/facts.py` saves them. */
import type { SavedState } from "../../../../core/saved/savedstate";
import { numbersOf, rest } from "../facts";

/** What makes calls the same, and the name to show. */
export type Label = readonly [kind: number, text: string, name: string];

/** The positions of all steps of a side; position 0 is the step itself. See `Outline` in Python. */
export interface Outline {
  labels: readonly Label[];
  shapes: readonly string[];
  parent: number[];
  occurrence: number[];
  /** Of each call of a position in a step. */
  row: number[];
  step: number[];
  among: number[];
  label: number[];
  shape: number[];
  backward: number[];
  /** Times in µs. */
  values: Map<string, number[]>;
}

export interface Outlines {
  /** Whether the spread over complete steps estimates the noise. */
  noisy: boolean;
  sides: [Outline, Outline];
}

interface About {
  noisy: boolean;
  labels: Label[][];
  shapes: string[][];
}

const ENTRY = "diff:calls";
const TABLES = 2;
const PLACES = ["row", "step", "among", "label", "shape", "backward"] as const;

/** The calls of both sides; undefined if they are not in the saved state. */
export async function outlinesOf(saved: SavedState): Promise<Outlines | undefined> {
  const about = saved.about<About>(ENTRY);
  if (!about) return undefined;
  const sides: Outline[] = [];
  for (const side of [0, 1]) {
    const positions = await saved.rows(ENTRY, TABLES * side);
    const calls = await saved.rows(ENTRY, TABLES * side + 1);
    if (!positions || !calls) return undefined;
    const [row, step, among, label, shape, backward] = PLACES.map((name) =>
      numbersOf(calls, name),
    ) as [number[], number[], number[], number[], number[], number[]];
    sides.push({
      labels: about.labels[side] ?? [],
      shapes: about.shapes[side] ?? [],
      parent: numbersOf(positions, "parent"),
      occurrence: numbersOf(positions, "occurrence"),
      ...{ row, step, among, label, shape, backward },
      values: rest(calls, PLACES),
    });
  }
  return { noisy: about.noisy, sides: sides as [Outline, Outline] };
}
