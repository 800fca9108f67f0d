/** Writes Python code that gives a table on screen as a pandas DataFrame, for use in a notebook. */
import type { Context, TableExport } from "../core/context";
import type { Filter, LoadingCode, Page, State } from "../core/protocol/protocol";
import type { MemoryLens, Query } from "../table/pagestore";
import { readRows } from "../values/arrow";

/** Columns that a search covers, and those that are sorted by the product of their numbers. */
const SEARCHED = [
  "name",
  "recorded_name",
  "operator",
  "launched_by",
  "module",
  "annotation",
  "forward_operator",
];
const SIZES = ["grid", "block"];
const ALL_DEVICES = "all";

const HOW_TO_LOAD = "The saved state does not say how the profile was loaded.";

/** @throws Error - the saved state was written before nbprof kept how a profile is loaded */
export async function pythonCode(ctx: Context, table: TableExport): Promise<string> {
  const { session, signal } = ctx;
  const { code } = await session.catalog();
  if (!code?.load) throw new Error(HOW_TO_LOAD);
  const { result, buffers } = await session.router.request<Page>(
    "page",
    { ...table.query, offset: 0, limit: 1 },
    { signal },
  );
  const columns = readRows(buffers[0] ?? new Uint8Array()).columns.map(
    ({ name, kind }): [string, boolean] => [name, kind === "text"],
  );
  const sort = table.sort ?? result.sort ?? null;
  return codeOf(code, table.query, sort, new Map(columns), result.conditions);
}

/**
 * @param columns - the columns of the table; true for those that hold text
 */
export function codeOf(
  code: LoadingCode,
  query: Query,
  sort: Query["sort"],
  columns: ReadonlyMap<string, boolean>,
  searched: Page["conditions"] = [],
): string {
  const { state, table, memory } = query;
  const name = /^[A-Za-z_]\w*$/.test(table) ? table : "table";
  const imports = ["import nbprof"];
  const lines = [`profile = ${code.load}${state.step ? `.with_step(${text(state.step)})` : ""}`];
  const filter = narrowed(state.filter, memory);
  if (code.of_profiles?.includes(table)) {
    lines.push(
      `${name} = profile${filterCall(filter)}.${call(table, profileArguments(code, state))}`,
    );
  } else {
    const trace = code.single_trace ? "profile.trace()" : `profile.trace(${traceArguments(state)})`;
    lines.push(`trace = ${trace}`);
    lines.push(`${name} = trace${filterCall(filter)}.${call(table, tableArguments(query))}`);
  }
  lines[lines.length - 1] += ".to_pandas()";
  const search = searched.length ? "" : query.search;
  for (const condition of [
    ...conditions(name, { ...query, search }, columns),
    ...searched.map((one) => conditionCode(name, one)),
  ])
    lines.push(`${name} = ${name}[${condition}]`);
  if (sort && columns.has(sort[0])) {
    const key = sortKey(sort[0], columns.get(sort[0]) === true);
    if (key.includes("re.")) imports.unshift("import math", "import re", "");
    const ascending = sort[1] === "desc" ? ", ascending=False" : "";
    const order = `${text(sort[0])}${ascending}, kind="stable", ignore_index=True${key}`;
    lines.push(`${name} = ${name}.sort_values(${order})`);
  }
  return `${[...imports, "", ...lines, name].join("\n")}\n`;
}

function call(table: string, args: string[]): string {
  return /^[A-Za-z]\w*$/.test(table)
    ? `${table}(${args.join(", ")})`
    : `table(${[text(table), ...args].join(", ")})`;
}

function traceArguments({ run, worker, span }: State): string {
  const given = [
    run && `run=${text(run)}`,
    worker && `worker=${text(worker)}`,
    span ? `span=${span}` : "",
  ];
  return given.filter(Boolean).join(", ");
}

function profileArguments({ single_trace }: LoadingCode, { run, span }: State): string[] {
  if (single_trace) return [];
  return [run && `run=${text(run)}`, span ? `span=${span}` : ""].filter(Boolean);
}

function tableArguments({ group_by, flame }: Query): string[] {
  const given = group_by ? [`group_by=${text(group_by)}`] : [];
  if (flame) given.push(`by=${text(flame.by)}`, `order=${text(flame.order)}`);
  return given;
}

/** The filter within the brushed range of memory. */
function narrowed(filter: Filter, memory: MemoryLens | undefined): Filter {
  if (!memory?.range) return filter;
  const [low, high] = memory.range;
  const [first, last] = filter.time_us ?? memory.range;
  const [from, to] = [Math.max(low, first), Math.min(high, last)];
  return { ...filter, time_us: [from, Math.max(from, to)] };
}

function filterCall(filter: Filter): string {
  const given = Object.entries(filter).flatMap(([field, value]) => {
    if (value === null || value === undefined) return [];
    return [`${field}=${literal(value, field === "steps" || field === "time_us")}`];
  });
  return given.length ? `.filter(${given.join(", ")})` : "";
}

/** The conditions besides the filter: the device and the sizes of memory, and the search. */
function conditions(
  name: string,
  { memory, search }: Query,
  columns: ReadonlyMap<string, boolean>,
): string[] {
  const column = (key: string) => `${name}[${text(key)}]`;
  const found: string[] = [];
  if (memory?.device && memory.device !== ALL_DEVICES) {
    const [kind = "", number = ""] = memory.device.split(":");
    const wanted: [string, string][] = [
      ["device_type", kind && text(kind)],
      ["device", number],
    ];
    for (const [key, value] of wanted)
      if (columns.has(key))
        found.push(value ? `${column(key)} == ${value}` : `${column(key)}.isna()`);
  }
  if (memory?.sizes && columns.has("size_bytes"))
    found.push(`${column("size_bytes")}.between(${memory.sizes.map(number).join(", ")})`);
  if (search) {
    const hits = SEARCHED.filter((key) => columns.has(key)).map((key) =>
      containsCode(column(key), search),
    );
    if (hits.length) found.push(hits.join(" | "));
  }
  return found;
}

/** A condition of the search on a column. */
function conditionCode(name: string, [column, operator, value]: [string, string, unknown]): string {
  const cells = `${name}[${text(column)}]`;
  if (operator === ":") return containsCode(cells, String(value));
  const sign = operator === "=" ? "==" : operator;
  if (typeof value === "number") return `${cells} ${sign} ${number(value)}`;
  if (typeof value === "boolean") return `${cells} ${sign} ${value ? "True" : "False"}`;
  return `${cells}.str.lower() ${sign} ${text(String(value))}.lower()`;
}

/** Whether cells contain a text, or match a pattern between slashes. */
function containsCode(cells: string, search: string): string {
  const pattern = search.length > 2 && search.startsWith("/") && search.endsWith("/");
  const [words, regex] = pattern ? [search.slice(1, -1), "True"] : [search, "False"];
  return `${cells}.str.contains(${text(words)}, case=False, regex=${regex}, na=False)`;
}

/** The `key=` argument for a column that is not sorted by its plain values. */
function sortKey(name: string, isText: boolean): string {
  if (!isText) return "";
  if (SIZES.includes(name))
    return `,\n    key=lambda sizes: sizes.map(lambda size: math.prod(map(float, re.findall(r"\\d+", size))), na_action="ignore")`;
  return `, key=lambda names: names.str.removeprefix("void ").str.lower()`;
}

function literal(value: unknown, isPair: boolean): string {
  if (Array.isArray(value)) {
    const parts = value.map((one) => literal(one, false)).join(", ");
    return isPair ? `(${parts})` : `[${parts}]`;
  }
  return typeof value === "number" ? number(value) : text(String(value));
}

/** A number as Python reads it: the same digits, in any notation. */
function number(value: number): string {
  if (Number.isFinite(value)) return Object.is(value, -0) ? "-0.0" : String(value);
  return `float("${value > 0 ? "inf" : value < 0 ? "-inf" : "nan"}")`;
}

/** A string as Python reads it: JSON's escapes are Python's, too. */
export function text(value: string): string {
  // Marks that change the direction of text would make the code look different from what it does.
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
