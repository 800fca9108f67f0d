/** Draws the charts of the kernels view without Python. */
import type { Drawing } from "../../chart/drawing";
import { asFigures, type Look } from "../../offline/appearance";
import { amongNames, byName } from "../../offline/charts/byname";
import { donutHeight, drawDonut, REST } from "../../offline/charts/donut";
import { ranked, sumOf } from "../../offline/charts/slices";
import type { OfflinePart, Question } from "../../offline/offlinepart";
import { columnOf, numbers, type StoredTable } from "../../offline/tables/tables";
import { formatPercent } from "../../values/format";

async function charts(question: Question) {
  const { look } = question;
  const { filtered, table, isKept } = await amongNames(question, "kernels");
  const drawings: Record<string, Drawing> = {};
  if (!filtered || !table?.length) return {};
  const width = look.width("total_time");
  const shown = { ...look, width };
  const total = byName(table, "total_us", "Kernel time by name", shown, null, isKept);
  if (total) drawings.total_time = total;
  const of = isKept ? "these kernels" : "kernel time";
  const cores = matrixUnits(filtered, of, look, donutHeight(width, look.top));
  if (cores) drawings.tensor_cores = cores;
  return asFigures(drawings);
}

/** Draw kernel time with and without matrix units. */
function matrixUnits(table: StoredTable, of: string, look: Look, height: number): Drawing | null {
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
    title: `${term}, share of ${of}`,
    hole: [`${formatPercent(whole ? (100 * part) / whole : 0)} %`, "used"],
  });
}

export default { charts } satisfies OfflinePart;
