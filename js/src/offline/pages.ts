/** Answers the operations `page`, `stacks`, `spreads` and `csv`, as Python does. */

import type { SavedState } from "../core/saved/savedstate";
import type { Exporting } from "../export/main";
import type { SpreadScript } from "../spreads/main";
import { formatNumber } from "../values/format";
import { type Answer, NeedsPython, type Params, type TableSource } from "./answerer";
import type { Load, OfflineTables } from "./offlinepart";
import { type Asked, ask, firstSort } from "./tablequery";
import { parseConditions } from "./tables/conditions";
import { frameTree } from "./tables/frametree";
import { isPattern } from "./tables/match";
import { allRows, sortRows } from "./tables/order";
import { shareBases } from "./tables/shares";
import {
  given,
  numbersOf,
  rowsOf,
  type StoredTable,
  sumsOf,
  take,
  valuesOf,
} from "./tables/tables";

const DEFAULT_ROWS = 100;
const MAX_ROWS = 1000;

export async function page(
  saved: SavedState,
  source: TableSource,
  params: Params,
  tables: OfflineTables,
): Promise<Answer> {
  const asked = await ask(saved, source, params, tables);
  const { found, table, complete } = asked;
  const { about } = table;
  const offset = count(params.offset, 0);
  const limit = Math.min(count(params.limit, DEFAULT_ROWS), MAX_ROWS);
  const rows = take(found, allRows(found).slice(offset, offset + limit));
  const additive = Object.keys(about.all_sums);
  // An incomplete table has the totals from Python; under a search there are only the stored rows.
  const whole = !complete && !asked.search && !asked.narrowed;
  const sums = sumsOf(found, additive);
  const all = asked.narrowed && complete;
  const conditions = parseConditions(asked.search, table).map((one) => [
    one.column.name,
    one.operator,
    one.value,
  ]);
  const result = {
    total: found.length,
    calls: sums.calls ?? null,
    all: all ? asked.unnamed.length : about.all,
    rows: rows.length,
    offset,
    sort: asked.sort,
    group_by: asked.group_by,
    keys: about.keys,
    sums,
    all_sums: all ? sumsOf(asked.unnamed, additive) : about.all_sums,
    slots: rows.slots,
    shares: shareBases(asked.unnamed),
    of: complete ? table.length : about.rows,
    match: asked.tree ? valuesOf(found, "match").indexOf(true) : -1,
    maxima: whole ? about.maxima : maximaOf(asked.tree ? table : found),
    hidden: complete ? hiddenOf(table) : about.hidden,
    notes: about.notes,
    ...about.more,
    ...(await asked.more()),
    ...(conditions.length && { conditions }),
    ...(!found.length && { empty: whyEmpty(asked, params) }),
  };
  return { result, buffers: [given(rows)] };
}

export async function stacks(
  saved: SavedState,
  source: TableSource,
  params: Params,
): Promise<Answer> {
  const name = String(params.table);
  const { parts_table } = saved.facts(name);
  // The saved state may hold the parts of rows, in their default grouping.
  const whole = parts_table !== undefined && params.input_shapes === undefined;
  const grouping = saved.facts(parts_table ?? "").group_by ?? "";
  const parts = whole ? await source.table(parts_table, grouping) : undefined;
  const table = parts ?? (await source.table(name, "name+stack"));
  if (!table) throw new NeedsPython("Call stacks are not in the saved state.");
  const names = valuesOf(table, parts ? "operator" : "name");
  const own = allRows(table).filter((row) => names[row] === params.name);
  const branches = take(table, own);
  const ordered = take(branches, sortRows(branches, allRows(branches), firstSort(branches)));
  if (!ordered.length && table.length < table.about.rows)
    throw new NeedsPython("Its call stacks were left out of the saved state.");
  const lines = parts ? ordered : frameTree(ordered, firstSort(branches));
  const { hints = {} } = saved.about<{ hints?: Record<string, string> }>("trace") ?? {};
  const hint = hints.stacks === undefined ? {} : { hint: hints.stacks };
  return { result: { total: lines.length, rows: lines.length, ...hint }, buffers: [given(lines)] };
}

export async function spreads(
  saved: SavedState,
  source: TableSource,
  params: Params,
  tables: OfflineTables,
  load: Load,
): Promise<Answer> {
  const { table, complete } = await ask(saved, source, params, tables);
  const { spreadsOf } = await load<SpreadScript>("spreads");
  // Of some of the rows nobody asks.
  return { result: { spreads: complete ? spreadsOf(rowsOf(table)) : {} }, buffers: [] };
}

export async function csv(
  saved: SavedState,
  source: TableSource,
  params: Params,
  tables: OfflineTables,
  load: Load,
): Promise<Answer> {
  const asked = await ask(saved, source, params, tables);
  const { csvText } = await load<Exporting>("export");
  const [run, worker] = saved.header.key;
  const part = asked.complete ? [] : ["part"]; // the file name says that rows are missing
  const words = [run, worker, asked.name, ...part].map((word) =>
    word.replace(/[^\p{L}\p{N}_.-]+/gu, "_").replace(/^[._]+|[._]+$/g, ""),
  );
  const filename = `${words.join("-")}.csv`.replace(/^-+/, "");
  const piece = new TextEncoder().encode(csvText(rowsOf(asked.found)));
  return { result: { filename, rows: asked.found.length, part: 0, parts: 1 }, buffers: [piece] };
}

function count(value: unknown, otherwise: number): number {
  return typeof value === "number" && value >= 0 ? value : otherwise;
}

function maximaOf(table: StoredTable): Record<string, number> {
  const maxima: Record<string, number> = {};
  for (const { name, kind } of table.columns) {
    if (kind !== "float" && kind !== "int") continue;
    const numbers = numbersOf(table, name);
    if (numbers.length) maxima[name] = numbers.reduce((most, number) => Math.max(most, number));
  }
  return maxima;
}

/** The columns without any value: the trace lacks their source. */
function hiddenOf(table: StoredTable): string[] {
  if (!table.length) return [];
  const empty = table.columns.filter(({ values }) => values.every((value) => value === null));
  return empty.map(({ name }) => name);
}

function whyEmpty({ table, search }: Asked, params: Params): unknown {
  const [one, many] = table.about.nouns;
  const rows = table.length;
  const { filter = {} } = (params.state ?? {}) as { filter?: object };
  if (rows) {
    const verb = isPattern(search) ? "matches" : "contains";
    return {
      title: `No ${one} ${verb} “${search}”`,
      text: `Searched ${formatNumber(rows)} ${rows === 1 ? one : many} by name.`,
      actions: [{ label: "Clear search", filter, search: "" }],
    };
  }
  const { sizes } = (params.memory ?? {}) as { sizes?: unknown };
  if (sizes) return { title: `No ${one} in the range of sizes`, text: "", actions: [] };
  return table.about.empty ?? { title: `No ${many} here`, text: "", actions: [] };
}
