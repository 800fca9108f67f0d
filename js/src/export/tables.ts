/** Writes tables as text: CSV and tab-separated text of all rows, Markdown of the visible ones. */
import type { Context, TableExport } from "../core/context";
import { columnSpecs } from "../table/columns";
import { cellText, familyUnits, isRight, unitLabel } from "../table/grid/cells";
import { fetchPage, type Query } from "../table/pagestore";
import type { Rows, Value } from "../values/arrow";
import { partsOf } from "./files";

/** Rows of one reply. */
const BLOCK = 1000;
/** The maximum number of rows of a Markdown table. */
const MOST_LINES = 1000;

/** The query for all rows under the filter, including rows that are folded on screen. */
function wholeQuery({ query }: TableExport): Query {
  const { tree: _, ...rest } = query;
  return rest;
}

export async function csvParts(ctx: Context, table: TableExport) {
  const { filename, parts } = await partsOf(ctx, "csv", { ...wholeQuery(table) });
  return { filename: filename || `${table.query.table}.csv`, parts };
}

async function fetchRows(ctx: Context, query: Query, first: number, end: number): Promise<Rows[]> {
  const { session, signal } = ctx;
  const blocks: Rows[] = [];
  for (let offset = first; ; ) {
    const limit = Math.min(BLOCK, end - offset);
    const { page, rows } = await fetchPage(session.router, query, offset, limit, { signal });
    blocks.push(rows);
    offset += rows.length;
    if (rows.length === 0 || offset >= Math.min(end, page.total)) return blocks;
  }
}

/** All rows at full precision, for the clipboard. */
export async function tabbed(ctx: Context, table: TableExport): Promise<string> {
  const blocks = await fetchRows(ctx, wholeQuery(table), 0, Number.POSITIVE_INFINITY);
  return toTsv(blocks, table.columns);
}

/** Rows as tab-separated text at full precision; all columns where none are named. */
export function toTsv(blocks: readonly Rows[], columns: readonly string[]): string {
  const first = blocks[0];
  if (!first) return "";
  const names = columns.length ? columns : first.columns.map((column) => column.name);
  const lines = blocks.flatMap((rows) =>
    Array.from({ length: rows.length }, (_, row) =>
      names.map((name) => plainCell(rows.get(name, row))).join("\t"),
    ),
  );
  return `${[names.join("\t"), ...lines].join("\n")}\n`;
}

function plainCell(value: Value): string {
  return value === null ? "" : typeof value === "string" ? safeCell(value) : String(value);
}

/** Quote a cell that a spreadsheet would evaluate as a formula. */
export function safeCell(text: string): string {
  const flat = text.replace(/[\t\r\n]+/g, " ");
  return /^[=+\-@]/.test(flat) && !/^[+-]?[\d.]/.test(flat) ? `'${flat}` : flat;
}

/** The visible rows as they are shown, but with full names. */
export async function markdown(ctx: Context, table: TableExport): Promise<string> {
  const [first, end] = table.seen;
  const blocks = await fetchRows(ctx, table.query, first, Math.min(end, first + MOST_LINES));
  const [head] = blocks;
  if (!head) return "";
  const choice = ctx.session.get("time_unit") ?? "auto";
  const holds = (name: string) =>
    blocks.some((rows) =>
      Array.from({ length: rows.length }).some((_, at) => rows.get(name, at) !== null),
    );
  const all = columnSpecs(table.query.table, head.columns);
  const specs = table.columns.length
    ? table.columns.flatMap((key) => all.find((spec) => spec.key === key) ?? [])
    : all.filter(({ key }) => holds(key));
  const units = familyUnits(specs, head, 14, choice);
  const title = specs.map((spec) => {
    const group = spec.group && spec.kind !== "name" ? `${spec.group} ` : "";
    const unit = unitLabel(spec, units);
    return escaped(
      `${group}${group ? spec.label.toLowerCase() : spec.label}${unit ? `, ${unit}` : ""}`,
    );
  });
  const rule = specs.map((spec) => (isRight(spec) ? "---:" : ":---"));
  const lines = blocks.flatMap((rows) =>
    Array.from({ length: rows.length }, (_, row) =>
      specs.map((spec) => escaped(cellText(spec, rows.get(spec.key, row), units))),
    ),
  );
  return `${[title, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n`;
}

/** Escape a text so that it is one line without Markdown markup. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|#~$&]/g, "\\$&").replace(/[\r\n\u2028\u2029]+/g, " ");
}
