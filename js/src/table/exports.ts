/** The Export menu entries of a table: copy to the clipboard, save as a file. */

import { copyText, safeCell, saveFile } from "../core/clipboard";
import type { Context, ExportEntry } from "../core/context";
import type { Rows, Value } from "../values/arrow";
import { plural } from "../values/format";
import { fetchAll, type Query } from "./pagestore";

interface Exported {
  readonly query: Query;
  readonly shownColumns: readonly string[];
}

/** The entries for the table on screen. */
export function tableExports(ctx: Context, words: string, table: Exported): ExportEntry[] {
  return [
    { label: `Copy ${words}`, run: () => copyTable(ctx, table.query, table.shownColumns) },
    { label: `Download ${words} as CSV`, run: () => downloadTable(ctx, table.query) },
  ];
}

/** The entries for a small table without grouping. */
export function plainExports(ctx: Context, words: string, table: string): ExportEntry[] {
  const query = () => ({
    state: ctx.session.state,
    table,
    group_by: "",
    sort: null,
    search: "",
  });
  return [
    { label: `Copy ${words}`, run: () => copyTable(ctx, query(), []) },
    { label: `Download ${words} as CSV`, run: () => downloadTable(ctx, query()) },
  ];
}

async function copyTable(ctx: Context, query: Query, columns: readonly string[]): Promise<string> {
  const blocks = await fetchAll(ctx.session.router, query, { signal: ctx.signal });
  await copyText(toTsv(blocks, columns));
  const rows = blocks.reduce((sum, block) => sum + block.length, 0);
  return `${plural(rows, "row")} copied`;
}

async function downloadTable(ctx: Context, query: Query): Promise<string> {
  const pieces: Uint8Array[] = [];
  let name = `${query.table}.csv`;
  for (let part = 0, parts = 1; part < parts; part += 1) {
    const { result, buffers } = await ctx.session.router.request<{
      filename?: string;
      parts?: number;
    }>("csv", { ...query, part }, { signal: ctx.signal });
    name = result.filename ?? name;
    parts = result.parts ?? 1;
    if (buffers[0]) pieces.push(buffers[0]);
  }
  saveFile(name, pieces, "text/csv;charset=utf-8");
  return `${name} downloaded`;
}

/** Rows as tab-separated text at full precision; all columns where none are named. */
export function toTsv(blocks: readonly Rows[], columns: readonly string[]): string {
  const first = blocks[0];
  if (!first) return "";
  const names = columns.length ? columns : first.columns.map((column) => column.name);
  const lines = [names.join("\t")];
  for (const rows of blocks) {
    for (let row = 0; row < rows.length; row += 1) {
      lines.push(names.map((name) => cell(rows.get(name, row))).join("\t"));
    }
  }
  return `${lines.join("\n")}\n`;
}

function cell(value: Value): string {
  return value === null ? "" : typeof value === "string" ? safeCell(value) : String(value);
}
