/** Recomputes the step and device tables over some steps, as `analysis/steps/step_parts_devices.py`. */

import { TIMES } from "../../offline/charts/steps/steps";
import type { Parts } from "../../offline/tables/parts";
import { type StoredTable, take, valuesOf } from "../../offline/tables/tables";
import type { Value } from "../../values/arrow";

export function stepsWithin(table: StoredTable, wanted: (number: number) => boolean): StoredTable {
  const numbers = valuesOf(table, "step");
  const rows: number[] = [];
  numbers.forEach((number, row) => {
    if (wanted(Number(number))) rows.push(row);
  });
  return take(table, rows);
}

/** Means over the complete steps; over all steps if none is complete. */
export function overviewOf(overview: StoredTable, steps: StoredTable): StoredTable {
  const complete = valuesOf(steps, "complete");
  const some = complete.includes(true);
  const rows = complete.flatMap((is, row) => (is === true || !some ? [row] : []));
  // In whole nanoseconds, as Python averages them.
  const mean = (name: string): number | null => {
    const values = valuesOf(steps, `${name}_us`);
    const sum = rows.reduce((whole, row) => whole + Math.round(Number(values[row]) * 1000), 0);
    return rows.length ? sum / rows.length : null;
  };
  const means = TIMES.map(mean);
  const total = means[0] ?? 0;
  const values: Record<string, Value[]> = {
    avg_us: means.map((value) => (value === null ? null : value / 1000)),
    pct: means.map((value) => (value === null || !total ? null : 100 * (value / total))),
  };
  return replaced(overview, values);
}

/** Return a function that sums a figure of each row over some parts. */
function adder(table: StoredTable, parts: Parts, used: readonly number[]) {
  return (figure: string): number[] => {
    const found = new Array<number>(table.length).fill(0);
    const values = parts.figures.get(figure) ?? [];
    for (const at of used) {
      const row = parts.row[at] ?? 0;
      found[row] = (found[row] ?? 0) + (values[at] ?? 0);
    }
    return found;
  };
}

export function deviceTimeWithin(
  table: StoredTable,
  parts: Parts,
  wanted: (number: number) => boolean,
): StoredTable {
  const used = parts.step.flatMap((number, at) => (wanted(number) ? [at] : []));
  const sum = adder(table, parts, used);
  const names = ["total", "computation", "communication", "exposed_communication", "memcpy"];
  const sums = new Map([...names, "exposed_memcpy"].map((name) => [name, sum(name)]));
  const of = (name: string, row: number) => sums.get(name)?.[row] ?? 0;
  const values: Record<string, Value[]> = {};
  for (const [name, found] of sums) values[`${name}_us`] = found.map((value) => value / 1000);
  const rows = Array.from({ length: table.length }, (_, row) => row);
  values.idle_us = rows.map((row) => {
    const busy = of("computation", row) + of("exposed_communication", row);
    return (of("total", row) - busy - of("exposed_memcpy", row)) / 1000;
  });
  values.overlap_pct = rows.map((row) => {
    const whole = of("communication", row);
    return share(whole - of("exposed_communication", row), whole);
  });
  return replaced(table, values);
}

/** Shares of the time from the first to the last complete step, including the gaps between. */
export function deviceSummaryWithin(
  table: StoredTable,
  parts: Parts,
  wanted: (number: number) => boolean,
): StoredTable {
  const index = parts.figures.get("index") ?? [];
  const complete = parts.figures.get("complete") ?? [];
  const chosen = parts.step.flatMap((number, at) => (wanted(number) ? [at] : []));
  const some = chosen.some((at) => complete[at]);
  const averaged = chosen.filter((at) => complete[at] || !some).map((at) => index[at] ?? 0);
  const [first, last] = ends(averaged);
  const all = parts.step.map((_, at) => at);
  const inside = all.filter((at) => (index[at] ?? 0) >= first && (index[at] ?? 0) <= last);
  const gaps = inside.filter((at) => (index[at] ?? 0) < last);
  const [own, between] = [adder(table, parts, inside), adder(table, parts, gaps)];
  const launched = adder(table, parts, chosen);
  const both = (figure: string) => {
    const gap = between(`gap_${figure}`);
    return own(figure).map((value, row) => value + (gap[row] ?? 0));
  };
  const length = both("length");
  const of = (parts_: number[], wholes: number[], scale = 1): Value[] =>
    parts_.map((value, row) => {
      const found = share(value, wholes[row] ?? 0);
      return found === null ? null : found * scale;
    });
  const work = both("work");
  const [rated, unrated] = [both("occupancy_weight"), both("occupancy_unknown")];
  const running = rated.map((time, row) => time + (unrated[row] ?? 0));
  const used = of(launched("tensor"), launched("kernel_time"));
  const tells = (name: string) => valuesOf(table, name).some((value) => value !== null);
  return replaced(table, {
    utilization_pct: of(both("kernels"), length),
    ...(tells("sm_efficiency_pct") && { sm_efficiency_pct: of(both("blocks"), length) }),
    occupancy_pct: of(both("occupancy"), rated, 1 / 100),
    occupancy_unknown_pct: of(unrated, running),
    idle_pct: of(
      length.map((whole, row) => whole - (work[row] ?? 0)),
      length,
    ),
    ...(tells("matrix_unit_pct") && {
      matrix_unit_pct: used,
      tensor_core_pct: used,
      matrix_unit_unknown_pct: of(launched("tensor_unknown"), launched("kernel_time")),
    }),
    ai_core_pct: of(launched("ai_core"), launched("computing_time")),
  });
}

function ends(values: readonly number[]): [first: number, last: number] {
  return values.reduce<[number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  );
}

function share(part: number, whole: number): number | null {
  return whole ? 100 * (part / whole) : null;
}

function replaced(table: StoredTable, values: Record<string, Value[]>): StoredTable {
  const columns = table.columns.map((column) => ({
    ...column,
    values: values[column.name] ?? column.values,
  }));
  return { ...table, columns };
}
