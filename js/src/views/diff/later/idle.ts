/** Idle times at the borders of steps, under other steps, as `nbprof/diffs/figures/idle.py`. */
import type { Borders, Cells, Facts } from "./facts";
import type { Used } from "./usedsteps";

/** Shorter times that the host did not cause are those of a kernel: `KERNEL_US` in Python, in ns. */
const KERNEL_NS = 30_000;
const NS_PER_US = 1000;

/** The values of the steps that count, with the idle times that the first and the last of them cut. */
export function withBorders(facts: Facts, used: readonly (readonly Used[])[]): Facts {
  const { keys, borders } = facts;
  if (!borders) return facts;
  const keyAt = (row: number) => keys.map((of) => of[row] ?? null);
  const rows = new Map(keys[0]?.map((_, row) => [JSON.stringify(keyAt(row)), row]));
  const rowOf = (row: number, cause: string | null) =>
    rows.get(JSON.stringify([...keyAt(row).slice(0, -1), cause])) ?? row;
  const cells = facts.cells.map((side, at) =>
    side.map((own, worker) => {
      const [border, steps] = [borders[at]?.[worker], used[at]?.[worker]];
      return border && steps ? joined(own, border, steps, rowOf) : own;
    }),
  );
  return { ...facts, cells };
}

function joined(
  own: Cells,
  { steps, gaps }: Borders,
  { place }: Used,
  rowOf: (row: number, cause: string | null) => number,
): Cells {
  const column = (of: Map<string, number[]>, name: string) => of.get(name) ?? [];
  const [starts, ends] = [column(steps, "start"), column(steps, "end")];
  const counted = place.flatMap((one, step) => (one >= 0 ? [step] : []));
  const first = starts[counted[0] ?? -1];
  const last = ends[counted.at(-1) ?? -1];
  const idle = own.values.get("idle_us");
  const count = own.values.get("gaps");
  if (first === undefined || last === undefined || !idle || !count) return own;
  const found = { row: [...own.row], step: [...own.step], idle: [...idle], count: [...count] };
  const [from, to, launches] = [column(gaps, "start"), column(gaps, "end"), column(gaps, "launch")];
  column(gaps, "row").forEach((row, at) => {
    const [start, end] = [Math.max(from[at] ?? 0, first), Math.min(to[at] ?? 0, last)];
    if (end <= start) return;
    // What runs after the last step does not tell what the time before its end was lost to.
    const launch = (to[at] ?? 0) < last ? (launches[at] ?? -1) : -1;
    const cause = causeOf(launch, start, end);
    for (const step of counted) {
      const [low, high] = [starts[step] ?? 0, ends[step] ?? 0];
      if (high <= start || low >= end) continue;
      found.row.push(rowOf(row, cause));
      found.step.push(step);
      found.idle.push((Math.min(end, high) - Math.max(start, low)) / NS_PER_US);
      found.count.push(low <= start ? 1 : 0);
    }
  });
  const values = new Map([
    ["idle_us", found.idle],
    ["gaps", found.count],
  ]);
  return { row: found.row, step: found.step, values };
}

function causeOf(launch: number, start: number, end: number): string | null {
  if (launch < 0) return null;
  if (launch > start) return "host";
  return end - start < KERNEL_NS ? "kernel" : "other";
}
