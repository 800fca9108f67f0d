/** The kernels of operators on each side, longest first, as `_names` of `nbprof/diffs/figures/kernels.py`. */
import { keyOf } from "./comparison";
import type { Facts } from "./facts";
import type { Sides } from "./sides";
import { chosen } from "./usedsteps";

/** How many kernels are named for an operator. */
const MOST_NAMES = 5;
const SIDES = ["baseline", "candidate"];

/** Return a function that names the kernels of a row on a side as JSON; null without any. */
export function kernelNames(
  facts: Facts,
  sides: Sides,
): (side: string, key: string) => string | null {
  if (facts.about.width === null) return () => null;
  const found = SIDES.map((_, side) => namesOf(facts, sides, side));
  return (side, key) => {
    const names = found[SIDES.indexOf(side)]?.get(key);
    return names ? asJson(names) : null;
  };
}

function namesOf(facts: Facts, sides: Sides, side: number): Map<string, string[]> {
  const { about, keys, places, cells } = facts;
  const range = sides.ranges[side] ?? null;
  const kept = sides.filterOf(facts, side);
  const times = new Map<number, number>();
  cells[side]?.forEach(({ row, step, values }, worker) => {
    const of = sides.steps.sides[side]?.workers[worker];
    const wanted = of ? chosen(of, range) : [];
    const total = values.get("total_us") ?? [];
    row.forEach((one, at) => {
      // what ran outside of all steps comes after the last one
      const inside = wanted[step[at] ?? 0] ?? range === null;
      if (inside && kept(one)) times.set(one, (times.get(one) ?? 0) + (total[at] ?? 0));
    });
  });
  const place = (row: number) => places[side]?.[row] ?? 0;
  const rows = [...times.keys()].sort((one, other) => place(one) - place(other));
  const longest = rows.sort((one, other) => (times.get(other) ?? 0) - (times.get(one) ?? 0));
  const found = new Map<string, string[]>();
  for (const row of longest) {
    const key = keyOf(facts, row);
    const names = found.get(key) ?? [];
    if (names.length < MOST_NAMES) names.push(String(keys[about.width ?? 0]?.[row] ?? ""));
    found.set(key, names);
  }
  return found;
}

/** As Python writes a list of texts. */
function asJson(names: readonly string[]): string {
  const escaped = (text: string) =>
    JSON.stringify(text).replace(
      /[\u007f-\uffff]/g,
      (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  return `[${names.map(escaped).join(", ")}]`;
}
