/** Draws the charts of the kernels view without Python. */
import type { Drawing } from "../../chart/drawing";
import { asFigures, type Look } from "../../offline/appearance";
import { byName } from "../../offline/charts/byname";
import { donutHeight, drawDonut, REST } from "../../offline/charts/donut";
import { ranked, sumOf } from "../../offline/charts/slices";
import type { OfflinePart, Question } from "../../offline/offlinepart";
import { columnOf, numbers, type StoredTable } from "../../offline/tables/tables";
import { formatPercent } from "../../values/format";

async function charts({ source, look }: Question) {
  const table = await source.table("kernels", "name");
  const found: Record<string, Drawing> = {};
  if (!table?.length) return {};
  const width = look.width("total_time");
  const total = byName(table, "total_us", "Kernel time by name", { ...look, width });
  if (total) found.total_time = total;
  const cores = matrixUnits(table, look, donutHeight(width, look.top === null));
  if (cores) found.tensor_cores = cores;
  return asFigures(found);
}

/** Draw kernel time with and without matrix units. */
function matrixUnits(table: StoredTable, look: Look, height: number): Drawing | null {
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

export default { charts } satisfies OfflinePart;
