/** Both sides, the step by category and the waterfall under another filter of steps. */

import type { Diff, DiffBar, DiffPart } from "../../../core/protocol/protocol";
import type { SavedState } from "../../../core/saved/savedstate";
import { type Change, type ChangeWord, type Comparison, partsOf } from "./comparison";
import { factsOf, stepsOf } from "./facts";
import { Sides, type Tools } from "./sides";
import { ENOUGH_STEPS, LEAST_STEPS } from "./statistics";
import { stepPairs } from "./usedsteps";

const SUBJECT = "The step by category and the waterfall";
/** How many changes have a bar of their own, as in `nbprof/diffs/figures/waterfall.py`. */
const CHANGES = 10;
const MOST_STEPS = 12;

/** @throws - it takes the traces */
export async function overviewUnder(
  saved: SavedState,
  filter: { steps: [number, number] | null; name: string },
  tools: Tools,
): Promise<Diff> {
  const whole = saved.about<Diff>("diff");
  const steps = stepsOf(saved);
  const [categories, names] = await Promise.all([
    factsOf(saved, "category"),
    factsOf(saved, "waterfall"),
  ]);
  if (!whole?.baseline || !steps || !categories || !names)
    throw tools.refuse("The differences cannot be filtered without Python.");
  const sides = new Sides(steps, filter, tools);
  const [before, after] = sides.complete;
  const found: Diff = {
    candidate: { ...whole.candidate, complete: after },
    baseline: { ...whole.baseline, complete: before },
    per_step: steps.per_step,
    notes: steps.per_step ? [...notesOf(sides), ...steps.notes] : (whole.notes ?? []),
  };
  if (sides.isNamed)
    return { ...found, missing: `${SUBJECT} cannot be filtered by name without Python.` };
  const total = sides.compare(categories, SUBJECT);
  return { ...found, parts: partsOfStep(total), bars: bars(total, sides.compare(names, SUBJECT)) };
}

function partsOfStep(comparison: Comparison): DiffPart[] {
  const parts = comparison.keys.map((key, at) => {
    const [category, name] = partsOf(key).map(String) as [string, string];
    const change = comparison.change(key, "total_us");
    const part = { category, name, ...described(comparison, key, change) };
    return { ...part, keep: at === 0 || change.baseline !== 0 || change.candidate !== 0 };
  });
  return parts.flatMap(({ keep, ...part }) => (keep ? [part] : []));
}

function described(comparison: Comparison, key: string, change: Change) {
  const { baseline, candidate, delta, delta_pct, noise_pct } = change;
  return {
    baseline_us: baseline,
    candidate_us: candidate,
    delta_us: delta,
    delta_pct,
    noise_pct,
    change: comparison.word(key, change),
  };
}

/** The step of the baseline, the largest changes, all others, and the step of the candidate. */
function bars(total: Comparison, names: Comparison): DiffBar[] {
  const step = total.keys[0];
  const whole = step === undefined ? null : total.change(step, "total_us");
  const [begin, end] = [whole?.baseline ?? 0, whole?.candidate ?? 0];
  const keys = [...names.keys].sort(
    (one, other) => size(names.change(other, "time_us")) - size(names.change(one, "time_us")),
  );
  const chosen = keys.slice(0, CHANGES).filter((key) => names.change(key, "time_us").delta !== 0);
  const plain = { category: null, field: null, value: null, delta_pct: null, noise_pct: null };
  const nothing = { ...plain, baseline_us: null, candidate_us: null, delta_us: null, change: null };
  const found: DiffBar[] = [
    { ...nothing, kind: "baseline", name: "Step", baseline_us: begin, from_us: 0, to_us: begin },
  ];
  let [reached, before, after] = [begin, 0, 0];
  for (const key of chosen) {
    const [category, name, field, value] = partsOf(key) as (string | null)[];
    const change = names.change(key, "time_us");
    found.push({
      kind: "change",
      category: category ?? null,
      name: name ?? "",
      field: field ?? null,
      value: value ?? null,
      from_us: reached,
      to_us: reached + change.delta,
      ...described(names, key, change),
    });
    reached += change.delta;
    before += change.baseline;
    after += change.candidate;
  }
  const rest = { baseline_us: begin - before, candidate_us: end - after, delta_us: end - reached };
  found.push({ ...nothing, kind: "rest", name: "", ...rest, from_us: reached, to_us: end });
  const last: { delta_pct: number | null; noise_pct: number | null; change: ChangeWord | null } =
    step !== undefined && whole
      ? { delta_pct: whole.delta_pct, noise_pct: whole.noise_pct, change: total.word(step, whole) }
      : { delta_pct: null, noise_pct: null, change: null };
  const sides = { candidate_us: end, from_us: 0, to_us: end };
  return [...found, { ...nothing, kind: "candidate", name: "Step", ...sides, ...last }];
}

function size({ delta }: Change): number {
  return Math.abs(delta);
}

/** What the filter does to the steps of both sides, in the sentences of `nbprof/diffs/notes.py`. */
function notesOf(sides: Sides): string[] {
  const workers = sides.steps.sides.flatMap((side) => side.workers[0] ?? []);
  const pairs = stepPairs(workers, sides.ranges);
  const numberOf = (side: number, at: number) => workers[side]?.number[at] ?? 0;
  const found = ["baseline", "candidate"].flatMap((name, side) => {
    const only = pairs.flatMap((pair) => {
      const own = pair[side as 0 | 1];
      return own !== null && pair.includes(null) ? [numberOf(side, own)] : [];
    });
    if (!only.length) return [];
    const words = only.length === 1 ? ["Step", "exists"] : ["Steps", "exist"];
    const listed = only.slice(0, MOST_STEPS);
    const more = only.length > MOST_STEPS ? ` and ${only.length - MOST_STEPS} more` : "";
    return [`${words[0]} ${listed.join(", ")}${more} ${words[1]} only in the ${name}.`];
  });
  const shared = pairs.filter(([one, other]) => one !== null && other !== null);
  const isInOrder = ([one, other]: (typeof pairs)[number]) =>
    numberOf(0, one ?? 0) !== numberOf(1, other ?? 0);
  if (shared.length && shared.every(isInOrder))
    found.push("The sides share no step number, so their steps are paired in order.");
  const least = Math.min(...sides.complete);
  if (least < LEAST_STEPS)
    found.push(
      `There is no estimate of the noise: it takes ${LEAST_STEPS} complete steps on each side, and there are ${sides.complete.join(" and ")}.`,
    );
  else if (least < ENOUGH_STEPS)
    found.push(
      `The noise is a rough estimate, of ${sides.complete.join(" and ")} complete steps: up to three of ten rows that did not change may exceed it. Record ${ENOUGH_STEPS} or more to know better.`,
    );
  return found;
}
