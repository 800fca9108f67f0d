/** Answers for the memory view without Python: its tables and curves, and what is missing. */
import type { SavedState } from "../../core/saved/savedstate";
import { type Answer, NeedsPython, type Params, type TableSource } from "../../offline/answerer";
import type { OfflinePart, OfflineTable, OwnQuestion, Question } from "../../offline/offlinepart";
import { valuesOf } from "../../offline/tables/tables";
import type { MemoryLens } from "../../table/pagestore";
import { blocks, segments } from "./allocations/offlineallocations";
import { drawMemoryView } from "./offlinecharts";
import { memory as answer, inDeviceOrder, narrows, throughLens } from "./offlinelens";

async function memory(question: OwnQuestion): Promise<Answer> {
  const { saved, source, params } = question;
  const { result, buffers } = await answer(saved, source, params);
  const drawn = (await question.figures()).memory ?? null;
  const { plane = null } = (drawn ?? {}) as { plane?: unknown };
  return { result: { ...result, figure: drawn, plane }, buffers };
}

async function charts({ saved, source, params, look }: Question) {
  return Object.fromEntries(await drawMemoryView(saved, source, params, look));
}

function lacks(_: unknown, what: string): string | undefined {
  return what === "range" ? "Narrowing memory to a range of time needs Python." : undefined;
}

const lensOf = (params: Params) => params.memory as MemoryLens | undefined;

/** A table of devices: narrowed to the chosen ones. */
const ofDevices: OfflineTable = {
  narrow: (saved, table, params) => throughLens(saved, table, lensOf(params)),
  isNarrowed: (saved, params) => narrows(saved, lensOf(params)),
};

const tables = {
  memory_operators: ofDevices,
  memory_events: { ...ofDevices, subject: "Allocations" },
  memory_peak_holders: { ...ofDevices, subject: "Memory held at the peak", more: peaks },
  memory_curve: { ...ofDevices, subject: "Memory over time" },
  memory_peak: { ...ofDevices, subject: "Peak memory" },
  memory_components: ofDevices,
  memory_blocks: { ...ofDevices, subject: "Blocks" },
  memory_segments: { ...ofDevices, subject: "Segments" },
};

/** The time of each device's peak, besides its holders. */
async function peaks(saved: SavedState, source: TableSource, params: Params) {
  const inside = await source.table("memory_peak", "");
  if (!inside) throw new NeedsPython("The table memory_peak is not in the saved state.");
  const table = throughLens(saved, inside, { ...lensOf(params), sizes: null } as MemoryLens);
  const [bytes, times] = ["peak_bytes", "time_us"].map((name) => valuesOf(table, name));
  const each = inDeviceOrder(saved, table).map((row) => ({
    peak_bytes: bytes?.[row] ?? null,
    time_us: times?.[row] ?? null,
  }));
  return { peaks: each };
}

export default {
  charts,
  tables,
  operations: { memory, blocks, segments },
  lacks,
} satisfies OfflinePart;
