/** Opens call stacks under the rows of a grid; requests them one name at a time. */

import type { Context } from "../../core/context";
import { Superseded } from "../../core/protocol/router";
import type { Rows } from "../../values/arrow";
import type { TimeUnit } from "../../values/format";
import type { ColumnSpec } from "../columns";
import { StackLines } from "./callstacks";
import type { Grid } from "./grid";

export class Drilldown {
  #opened = new Map<number, StackLines>();

  constructor(
    private readonly ctx: Context,
    private readonly grid: Grid,
  ) {}

  isOpen(row: number): boolean {
    return this.#opened.has(row);
  }

  /** Close all, because the rows have changed. */
  clear(): void {
    this.#opened = new Map();
    this.grid.lines.clear();
  }

  /** Show the stack that is in the row itself. */
  show(row: number, stack: string): void {
    if (!this.#opened.has(row)) this.#set(row, StackLines.of(stack));
  }

  /** Request the stacks of a row of a table, which is row `at` of `rows`. */
  async open(row: number, table: string, rows: Rows, at: number): Promise<void> {
    const opened = this.#opened;
    if (opened.has(row)) return;
    this.#set(row, new StackLines("Reading what is inside"));
    const { router, state } = this.ctx.session;
    const name = rows.text("name", at);
    const shaped = rows.column("input_shapes");
    let lines: StackLines;
    try {
      const { result, buffers } = await router.request<{ hint?: string }>(
        "stacks",
        { state, table, name, ...(shaped && { input_shapes: rows.text("input_shapes", at) }) },
        { slot: `${this.ctx.id}:stacks:${table}:${name}`, signal: this.ctx.signal },
      );
      lines = StackLines.read(buffers[0] ?? new Uint8Array(), result.hint);
    } catch (error) {
      if (error instanceof Superseded) return;
      lines = new StackLines(`Error: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (opened === this.#opened && opened.has(row)) this.#set(row, lines);
  }

  close(row: number): void {
    if (!this.#opened.delete(row)) return;
    this.grid.lines.close(row);
    this.grid.draw();
  }

  cells(
    row: number,
    child: number,
    specs: readonly ColumnSpec[],
    units: ReadonlyMap<string, TimeUnit>,
  ): HTMLTableCellElement[] {
    const lines = this.#opened.get(row);
    if (!lines) return [];
    return lines.cells(this.ctx, child, specs, units, () => {
      lines.toggle(child);
      this.#set(row, lines);
    });
  }

  #set(row: number, lines: StackLines): void {
    this.#opened.set(row, lines);
    this.grid.lines.open(row, lines.length);
    this.grid.draw();
  }
}
