/** The steps of both sides next to each other, as `nbprof/diffs/figures/steps.py`. */
import type { SavedState } from "../../../core/saved/savedstate";
import type { StoredTable } from "../../../offline/tables/tables";
import type { Value } from "../../../values/arrow";
import { type Facts, factsOf } from "./facts";
import type { Sides, Tools } from "./sides";
import { stepPairs } from "./usedsteps";

const COLUMN = /^(baseline|candidate|delta)_(.+)_us$/;

export async function stepTable(
  whole: StoredTable,
  saved: SavedState,
  sides: Sides,
  subject: string,
  tools: Tools,
): Promise<StoredTable> {
  const facts = await factsOf(saved, "category");
  const workers = sides.steps.sides.flatMap((side) => side.workers[0] ?? []);
  if (!facts || workers.length < 2 || !sides.steps.per_step)
    throw tools.refuse(`${subject} cannot be filtered without Python.`);
  if (sides.isNamed) throw tools.refuse(`${subject} cannot be filtered by name without Python.`);
  const pairs = stepPairs(workers, sides.ranges);
  const times = [0, 1].map((side) => timesOf(facts, side));
  const timeOf = (name: string, side: number, at: number | null) =>
    at === null ? null : (times[side]?.get(name)?.[at] ?? 0);
  const columns = whole.columns.map((column) => {
    const { name } = column;
    const [, prefix, category = ""] = COLUMN.exec(name) ?? [];
    const values = pairs.map((pair): Value => {
      const [one, other] = pair;
      if (name === "side") return one === null ? "candidate" : other === null ? "baseline" : "both";
      const side = name.startsWith("baseline") ? 0 : 1;
      const [at, worker] = [pair[side] ?? null, workers[side]];
      if (name.endsWith("_step")) return at === null ? null : (worker?.number[at] ?? null);
      if (name.endsWith("_complete")) return at === null ? null : (worker?.complete[at] ?? null);
      if (prefix !== "delta") return timeOf(category, side, at);
      const [before, after] = [timeOf(category, 0, one), timeOf(category, 1, other)];
      return before === null || after === null ? null : after - before;
    });
    return { ...column, values };
  });
  return { ...whole, length: pairs.length, columns, slots: [] };
}

/** The time of every step of the first worker of a side, by category. */
function timesOf({ keys, cells }: Facts, side: number): Map<string, number[]> {
  const found = new Map<string, number[]>();
  const of = cells[side]?.[0];
  of?.row.forEach((row, at) => {
    const category = String(keys[0]?.[row]);
    const steps = found.get(category) ?? [];
    steps[of.step[at] ?? 0] = of.values.get("total_us")?.[at] ?? 0;
    found.set(category, steps);
  });
  return found;
}
