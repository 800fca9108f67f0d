/** Opens call stacks under the rows of a grid; requests them one name at a time. */

import type { Context } from "../../core/context";
import type { Stacks as Found } from "../../core/protocol/protocol";
import { messageOf, Superseded } from "../../core/protocol/router";
import type { Stacks } from "../../stacks/main";
import type { Rows } from "../../values/arrow";
import type { TimeUnit } from "../../values/format";
import type { ColumnSpec } from "../columnspec";
import type { Grid } from "./grid";

type Lines = InstanceType<Stacks["StackLines"]>;

/** The script that draws the lines. */
const SCRIPT = "stacks";

export class Drilldown {
  /** The lines below each expanded row, or a message until they arrive. */
  #opened = new Map<number, Lines | string>();
  #script: Stacks | null = null;

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
  show(row: number, stack: string): Promise<void> {
    return this.#open(row, async ({ StackLines }) => StackLines.of(stack));
  }

  /** Request the stacks of a row of a table, which is row `at` of `rows`. */
  open(row: number, table: string, rows: Rows, at: number): Promise<void> {
    const { router, state } = this.ctx.session;
    const name = rows.text("name", at);
    const shaped = rows.column("input_shapes");
    return this.#open(row, async ({ StackLines }) => {
      const { result, buffers } = await router.request<Found>(
        "stacks",
        { state, table, name, ...(shaped && { input_shapes: rows.text("input_shapes", at) }) },
        { slot: `${this.ctx.id}:stacks:${table}:${name}`, signal: this.ctx.signal },
      );
      const { total, rows: sent, hint } = result;
      return StackLines.read(buffers[0] ?? new Uint8Array(), hint, total - sent);
    });
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
    if (lines === undefined) return [];
    if (typeof lines === "string" || !this.#script) {
      const words = typeof lines === "string" ? lines : "";
      return [this.ctx.h("td", { colspan: specs.length, class: "nbp-muted" }, words)];
    }
    const { rows } = lines;
    const toggle = (frames: boolean) => {
      lines.toggle(child, frames);
      this.#set(row, lines);
    };
    return this.#script.stackCells(this.ctx, lines.at(child), { rows, specs, units, toggle });
  }

  async #open(row: number, read: (script: Stacks) => Promise<Lines>): Promise<void> {
    const opened = this.#opened;
    if (opened.has(row)) return;
    this.#set(row, "Reading what is inside");
    const { session } = this.ctx;
    const still = () => opened === this.#opened && opened.has(row);
    try {
      this.#script ??= await session.scripts.load<Stacks>(SCRIPT);
      const lines = await read(this.#script);
      if (!still()) return;
      this.#script.findSources(session, lines.frames);
      this.#set(row, lines);
    } catch (error) {
      if (error instanceof Superseded || !still()) return;
      this.#set(row, `Error: ${messageOf(error)}`);
    }
  }

  #set(row: number, lines: Lines | string): void {
    this.#opened.set(row, lines);
    this.grid.lines.open(row, typeof lines === "string" ? 1 : lines.length);
    this.grid.draw();
  }
}
