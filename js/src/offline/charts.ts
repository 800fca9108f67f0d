/** The charts of the views, drawn from tables; `nbprof/widgets/views/figures.py` says which there are. */

import { categoryColor } from "../chart/categorycolor";
import type { Drawing } from "../chart/drawing";
import type { Figure, TraceInfo } from "../core/protocol";
import type { Snapshot } from "../core/snapshot";
import { formatPercent, type UnitWish } from "../values/format";
import type { DrawCharts, Params, TableSource } from "./answerer";
import { drawCards } from "./cards";
import { donut, donutHeight, drawDonut, REST, timeText } from "./charts/donut";
import { nestedBars, type Whole } from "./charts/nestedbars";
import { joinSmall, ranked, sumOf } from "./charts/slices";
import { drawSteps } from "./charts/steps";
import { drawMemoryView } from "./memorycharts";
import { columnOf, type Inside, numbers, rowsOf, texts } from "./tables/tables";

/** Slices of the summary under this share are joined, %. */
const JOINED = 2;
const WIDTH = 632;

interface Look {
  unit: UnitWish;
  top: number | null;
  width(name: string): number;
}

/** What draws the charts of a snapshot. */
export function charts(snapshot: Snapshot): DrawCharts {
  return async (view, source, params) => {
    const look = lookOf(params);
    const info = snapshot.about<TraceInfo>("trace");
    const recorded = info?.steps.recorded !== false;
    const drawn: Record<string, Drawing | null> = {};
    if (view === "overview") {
      drawn.summary = await summary(source, look, recorded);
      drawn.steps = await steps(source, look, recorded);
    }
    if (view === "operators") Object.assign(drawn, await operators(source, look));
    if (view === "kernels") Object.assign(drawn, await kernels(source, look));
    Object.assign(drawn, await drawCards(snapshot, view, source, params, look));
    const figures = Object.entries(drawn).flatMap(([name, drawing]): [string, Figure][] =>
      drawing ? [[name, { drawing }]] : [],
    );
    if (view === "memory") figures.push(...(await drawMemoryView(snapshot, source, params, look)));
    return Object.fromEntries(figures);
  };
}

function lookOf({ unit, top, width }: Params): Look {
  const widths = (typeof width === "object" ? width : { "": width }) as Record<string, number>;
  return {
    unit: (unit ?? "auto") as UnitWish,
    top: top === null ? null : Number(top ?? 7),
    width: (name) => Math.max(160, widths[name] ?? widths[""] ?? WIDTH),
  };
}

async function steps(source: TableSource, look: Look, mean: boolean): Promise<Drawing | null> {
  const table = await source.table("steps", "");
  if (!table?.length || !numbers(table, "total_us").some(Boolean)) return null;
  return drawSteps(rowsOf(table), { width: look.width("steps"), unit: look.unit, mean });
}

async function summary(
  source: TableSource,
  look: Look,
  recorded: boolean,
): Promise<Drawing | null> {
  const table = await source.table("overview", "");
  if (!table) return null;
  const times = numbers(table, "avg_us");
  // the first row is the whole step
  const slices = ranked(texts(table, "category").slice(1), times.slice(1), categoryColor);
  if (!slices.length) return null;
  const width = look.width("summary");
  return drawDonut(joinSmall(slices, JOINED, REST), {
    width,
    height: width < 400 ? 180 : 150,
    unit: look.unit,
    title: null,
    hole: [timeText(sumOf(slices), look.unit), recorded ? "a step" : "in all"],
    what: "Mean",
    picks: false,
  });
}

/** Self times as donuts, total times as bars with percentages of the sum of the self times. */
async function operators(source: TableSource, look: Look): Promise<Record<string, Drawing>> {
  const table = await source.table("operators", "name");
  const found: Record<string, Drawing> = {};
  if (!table?.length) return found;
  for (const side of ["Device", "Host"])
    for (const kind of ["self", "total"]) {
      const [small, title] = [side.toLowerCase(), `${side} ${kind} time`];
      const key = `${small}_${kind}`;
      const whole = {
        text: `% of the ${small} time of all operators`,
        value: table.about.all_sums[`${small}_self_us`] ?? 0,
      };
      const shown = { ...look, width: look.width(key) };
      const drawing = byName(table, `${key}_us`, title, shown, kind === "total" ? whole : null);
      if (drawing) found[key] = drawing;
    }
  return found;
}

async function kernels(source: TableSource, look: Look): Promise<Record<string, Drawing>> {
  const table = await source.table("kernels", "name");
  const found: Record<string, Drawing> = {};
  if (!table?.length) return found;
  const width = look.width("total_time");
  const total = byName(table, "total_us", "Kernel time by name", { ...look, width });
  if (total) found.total_time = total;
  const cores = matrixUnits(table, look, donutHeight(width, look.top === null));
  if (cores) found.tensor_cores = cores;
  return found;
}

interface DonutLook {
  unit: UnitWish;
  top: number | null;
  width: number;
}

/**
 * Times by name as a donut, or as bars beside a whole that they are no parts of.
 *
 * Of a table that is not all inside others were added up before; the longest bars are not known.
 */
function byName(
  table: Inside,
  column: string,
  title: string,
  look: DonutLook,
  whole?: Whole | null,
): Drawing | null {
  const values = columnOf(table, column)?.values ?? [];
  if (values.every((value) => value === null)) return null;
  const names = texts(table, "name");
  const slots = new Map(names.map((name, row) => [name, table.slots[row] ?? 0]));
  const slotOf = (name: string) => slots.get(name) ?? 0;
  const times = values.map((value) => (typeof value === "number" ? value : null));
  const missing = table.about.rows - table.length;
  if (whole) return missing > 0 ? null : nestedBars(names, times, slotOf, title, whole, look);
  let others = { count: 0, value: 0 };
  if (missing > 0) {
    const all = table.about.sums[column];
    if (all === undefined) return null;
    const inside = times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
    others = { count: missing, value: Math.max(0, all - inside) };
  }
  return donut(names, times, title, slotOf, { ...look, others });
}

/** Kernel time with and without matrix units. */
function matrixUnits(table: Inside, look: Look, height: number): Drawing | null {
  const { term, values: used = [] } = columnOf(table, "matrix_unit_used") ?? {};
  if (table.length < table.about.rows || !term) return null;
  const words = used.map((one) => (one === null ? "unknown" : one ? "used" : "not used"));
  const fills: Record<string, string> = { used: "var(--c-kernel)", unknown: "var(--c-other)" };
  const slices = ranked(words, numbers(table, "total_us"), (name) => fills[name] ?? REST);
  const whole = sumOf(slices);
  const part = slices.find(({ name }) => name === "used")?.value ?? 0;
  return drawDonut(slices, {
    width: look.width("tensor_cores"),
    height,
    unit: look.unit,
    title: `${term}, share of kernel time`,
    hole: [`${formatPercent(whole ? (100 * part) / whole : 0)} %`, "used"],
    picks: false,
  });
}
