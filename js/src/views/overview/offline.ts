/** Answers for the overview without Python: its tables, and the charts of steps and summary. */
import { categoryColor } from "../../chart/categorycolor";
import type { Drawing } from "../../chart/drawing";
import type { TraceInfo } from "../../core/protocol/protocol";
import { type Answer, NeedsPython, type TableSource } from "../../offline/answerer";
import { asFigures, type Look } from "../../offline/appearance";
import { drawDonut, REST, timeText } from "../../offline/charts/donut";
import { joinSmall, ranked, sumOf } from "../../offline/charts/slices";
import { drawSteps } from "../../offline/charts/steps/steps";
import {
  CUT,
  type Filtering,
  type OfflinePart,
  type OfflineTable,
  type OfflineTables,
  type OwnQuestion,
  type Question,
} from "../../offline/offlinepart";
import {
  given,
  numbers,
  rowsOf,
  type StoredTable,
  texts,
  valuesOf,
} from "../../offline/tables/tables";
import { deviceSummaryWithin, deviceTimeWithin, overviewOf, stepsWithin } from "./offlinesteps";

const TABLES = ["overview", "steps", "device_summary", "device_time", "recommendations"];

/** Smaller slices of the summary are joined, %. */
const JOINED = 2;

/**
 * The tables of all work under a name that was typed here: steps by category take the traces to be
 * narrowed to names.
 */
const ofAll = ({ around, source, underSavedFilter }: Question) =>
  underSavedFilter ? source : (around("name") ?? source);

async function overview(question: OwnQuestion): Promise<Answer> {
  const { saved } = question;
  const source = ofAll(question);
  const tables: Record<string, number> = {};
  const missing: Record<string, string> = {};
  const buffers: Uint8Array[] = [];
  for (const name of TABLES) {
    const table = await source.table(name, "");
    const reason = table ? undefined : source.lacks?.(name);
    if (reason) missing[name] = reason;
    if (!table) continue;
    tables[name] = buffers.length;
    buffers.push(given(table));
  }
  if (!buffers.length)
    throw new NeedsPython(missing.overview ?? "The overview is not in the saved state.");
  const { cards, buffers: more } = await question.cards(buffers.length);
  const figures = await question.figures();
  const facts = saved.about<[string, string][]>("facts") ?? [];
  const { filter } = question.params.state as { filter?: { name?: string } };
  const of_all = filter?.name && !question.underSavedFilter ? { of_all: true } : {};
  const result = { tables, figures, facts, missing, cards, ...of_all };
  return { result, buffers: [...buffers, ...more] };
}

async function charts(question: Question) {
  const { saved, around, look } = question;
  const source = ofAll(question);
  const info = saved.about<TraceInfo>("trace");
  const recorded = info?.steps.recorded !== false;
  const whole =
    (await around("steps")?.table("steps", "")) ?? (await source.table("steps", "")) ?? null;
  // The bar of a single step shows the same as a donut.
  return asFigures({
    summary: whole?.length === 1 ? null : await summary(source, look, recorded),
    steps: await steps(source, whole, look, recorded),
  });
}

async function steps(
  source: TableSource,
  whole: StoredTable | null,
  look: Look,
  mean: boolean,
): Promise<Drawing | null> {
  const table = await source.table("steps", "");
  if (!table || !whole?.length || !numbers(whole, "total_us").some(Boolean)) return null;
  const kept = new Set(numbers(table, "step"));
  const shown = { width: look.width("steps"), unit: look.unit, mean };
  return drawSteps(rowsOf(among(table, whole)), shown, (step) => !kept.has(step));
}

/** All steps, those in the filter as it cuts them. */
function among(table: StoredTable, whole: StoredTable): StoredTable {
  const own = new Map(numbers(table, "step").map((step, row) => [step, row]));
  const rows = numbers(whole, "step").map((step) => own.get(step));
  const columns = whole.columns.map((column) => {
    const cut = valuesOf(table, column.name);
    const values = column.values.map((value, at) => {
      const row = rows[at];
      return row === undefined ? value : (cut[row] ?? null);
    });
    return { ...column, values };
  });
  return { ...whole, columns };
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
  const steps = await source.table("steps", "");
  const other = steps?.columns.find(({ name }) => name === "other_us")?.term;
  const slices = ranked(texts(table, "category").slice(1), times.slice(1), categoryColor).map(
    (slice) => (slice.name === "Other" && other ? { ...slice, label: other } : slice),
  );
  if (!slices.length) return null;
  const width = look.width("summary");
  return drawDonut(joinSmall(slices, JOINED, REST), {
    width,
    height: width < 400 ? 180 : 150,
    unit: look.unit,
    title: null,
    hole: [timeText(sumOf(slices), look.unit), recorded ? "a step" : "in total"],
    what: "Mean",
  });
}

/** The rows of the steps that a filter keeps; sums over steps take the traces. */
async function ofSteps(whole: StoredTable, { wanted, everyStep }: Filtering) {
  if (whole.columns.some(({ name }) => name === "step")) return stepsWithin(whole, wanted);
  return everyStep ? whole : undefined;
}

/** Compute a table of devices, of all their work, from the contributions of each step. */
function ofDevices(within: typeof deviceTimeWithin): NonNullable<OfflineTable["under"]> {
  return async (whole, { wanted, everyStep, parts }) => {
    if (everyStep) return whole;
    const found = await parts();
    return found && within(whole, found, wanted);
  };
}

/** About all work of devices: names do not apply, and other steps take the traces. */
const OF_WHOLE: OfflineTable = {
  followsNames: true,
  under: async (whole, { everyStep }) => (everyStep ? whole : undefined),
};

const tables: OfflineTables = {
  steps: {
    subject: "The steps",
    under: async (whole, { wanted, counted }) => counted(stepsWithin(whole, wanted)),
  },
  overview: {
    subject: "The overview",
    under: async (whole, { table }) => {
      const steps = await table("steps");
      return steps ? overviewOf(whole, steps) : CUT;
    },
  },
  device_time: {
    followsNames: true,
    under: ofDevices(deviceTimeWithin),
  },
  device_summary: {
    subject: "Devices",
    followsNames: true,
    under: ofDevices(deviceSummaryWithin),
  },
  recommendations: { subject: "Recommendations", ...OF_WHOLE },
  // Cards.
  idle: OF_WHOLE,
  // Steps of NPUs are never narrowed to names.
  stages: { under: ofSteps },
  npu_steps: { under: ofSteps, followsNames: true },
};

export default { charts, tables, operations: { overview } } satisfies OfflinePart;
