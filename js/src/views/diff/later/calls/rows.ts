/** The rows of the tables over the aligned call trees, as `nbprof/diffs/trees/rows.py`. */
import type { Value } from "../../../../values/arrow";
import type { Cells, Facts } from "../facts";
import type { Used } from "../usedsteps";
import type { Outline, Outlines } from "./outline";
import { type Pair, pairUp } from "./pairs";
import { type Positions, positionsOf } from "./positions";

const KINDS = ["annotation", "module", "operator", "kernel", "memcpy", "memset"];

export interface TreeRows {
  /** The values of every step, by row. */
  facts: Facts;
  /** The rows of the table, in reading order. */
  shown: number[];
  /** Whether either side has a row; the step itself is on both, also if no step counts. */
  there(row: number): [boolean, boolean];
  /** A column that is no figure, by row; undefined if it is unknown. */
  column(name: string): Value[] | undefined;
}

/**
 * Align the calls of the steps that count.
 *
 * @param kinds - the kinds of calls that the table is made of; empty for all
 */
export function treeRows(
  { noisy, sides }: Outlines,
  used: readonly (readonly Used[])[],
  kinds: readonly string[],
): TreeRows {
  const [one, other] = sides.map((outline, side) =>
    positionsOf(outline, used[side]?.[0] ?? { place: [], count: 0, complete: 0 }),
  ) as [Positions, Positions];
  const host = sides.map((outline, side) => hostTime(outline, side ? other : one));
  const pairs = pairUp(one, other, host as [number, number]);
  const sideOf = ({ baseline, candidate }: Pair) =>
    baseline >= 0 ? ([one, baseline] as const) : ([other, candidate] as const);
  const labels = pairs.map((pair) => {
    const [positions, at] = sideOf(pair);
    return positions.label[at] ?? ([-1, "", ""] as const);
  });
  const kindOf = pairs.map((_, row) => KINDS[labels[row]?.[0] ?? -1] ?? "step");
  const names = labels.map(([, , name]) => name || "Step");
  const theirs = pairs.map(({ candidate }) =>
    candidate < 0 ? null : other.label[candidate]?.[2] || "Step",
  );
  const shown = pairs.flatMap((_, row) =>
    !kinds.length || kinds.includes(kindOf[row] ?? "") ? [row] : [],
  );
  const around = aroundOf(pairs, (row) => !kinds.length || kinds.includes(kindOf[row] ?? ""));
  const depths: number[] = [];
  for (const above of around) depths.push(above === null ? 0 : (depths[above] ?? 0) + 1);
  const columns: Record<string, () => Value[]> = {
    row: () => pairs.map((_, row) => row),
    parent: () => around,
    depth: () => depths,
    kind: () => kindOf,
    phase: () =>
      pairs.map((pair) => {
        const [positions, at] = sideOf(pair);
        return positions.backward[at] ? "backward" : "forward";
      }),
    name: () => names,
    candidate_name: () => theirs,
    occurrence: () =>
      pairs.map((pair) => {
        const [positions, at] = sideOf(pair);
        return positions.occurrence[at] ?? 1;
      }),
  };
  const places = (["baseline", "candidate"] as const).map((side) =>
    pairs.map((pair) => pair[side]),
  );
  const facts: Facts = {
    about: { named: null, width: null, in_order: true, noisy, workers: [1, 1] },
    keys: [pairs.map((_, row) => row)],
    places,
    cells: [one, other].map((positions, side) => [
      cellsOf(sides[side] as Outline, positions, places[side] ?? []),
    ]),
  };
  return {
    facts,
    shown,
    there: (row) => [(places[0]?.[row] ?? -1) >= 0, (places[1]?.[row] ?? -1) >= 0],
    column: (name) => columns[name]?.(),
  };
}

/** The row around each row among those that count, null at the top. */
function aroundOf(pairs: readonly Pair[], counts: (row: number) => boolean): (number | null)[] {
  const found: (number | null)[] = [];
  for (const { parent } of pairs) {
    const isPlain = parent < 0 || counts(parent);
    found.push(isPlain ? (parent < 0 ? null : parent) : (found[parent] ?? null));
  }
  return found;
}

function hostTime({ values }: Outline, { place }: Positions): number {
  let sum = 0;
  values.get("host_us")?.forEach((value, call) => {
    if ((place[call] ?? -1) >= 0) sum += value;
  });
  return sum;
}

/** The values of a side, by the rows of the aligned trees. */
function cellsOf(outline: Outline, { place }: Positions, positions: readonly number[]): Cells {
  const rowOf: number[] = [];
  positions.forEach((position, row) => {
    if (position >= 0) rowOf[position] = row;
  });
  const calls = place.flatMap((position, call) => (position >= 0 ? [call] : []));
  const chosen = (of: readonly number[]) => calls.map((call) => of[call] ?? 0);
  return {
    row: calls.map((call) => rowOf[place[call] ?? -1] ?? 0),
    step: chosen(outline.step),
    values: new Map([...outline.values].map(([name, of]) => [name, chosen(of)])),
  };
}
