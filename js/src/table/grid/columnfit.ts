/** Shortens texts to the width of a column, and measures the width that a column needs. */
import type { Context } from "../../core/context";
import type { Rows } from "../../values/arrow";
import type { TimeUnit } from "../../values/format";
import { middleCut, shortNames } from "../../values/names";
import type { ColumnSpec } from "../columnspec";
import { cellText, unitLabel } from "./cells";
import { cellMeasure } from "./namecell";

/** Left and right padding of a cell, and a pixel for rounding. */
const PADDING = 17;
/** The arrow of the sorting. */
const ARROW = 14;
const BAR = 64;

export class ColumnFit {
  readonly #names = new WeakMap<Rows, { room: string; names: string[] }>();

  constructor(private readonly ctx: Context) {}

  /** The names of rows, shortened to fit; `room` returns the available width, CSS px. */
  names(rows: Rows, name: (row: number) => string, room: (row: number) => number): string[] {
    const all = Array.from({ length: rows.length }, (_, row) => row);
    const rooms = all.map(room);
    const key = rooms.join();
    const known = this.#names.get(rows);
    if (known?.room === key) return known.names;
    const measure = cellMeasure(this.ctx);
    const fits = (text: string, row: number) => measure(text) <= (rooms[row] ?? 0);
    const names = shortNames(all.map(name), fits);
    this.#names.set(rows, { room: key, names });
    return names;
  }

  /** Return a function that shortens a text in its middle to the width of a column. */
  shorten({ width }: ColumnSpec): (text: string) => string {
    const measure = cellMeasure(this.ctx);
    return (text) => middleCut(text, (one) => measure(one) <= width - PADDING, text.length);
  }

  /** The width at which the header and all given rows of a column show in full. */
  widthOf(
    spec: ColumnSpec,
    blocks: readonly Rows[],
    units: ReadonlyMap<string, TimeUnit>,
    textOf: (rows: Rows, row: number) => string = (rows, row) =>
      cellText(spec, rows.get(spec.key, row), units),
  ): number {
    const measure = cellMeasure(this.ctx);
    const head = measure(`${spec.label} ${spec.group ? "" : unitLabel(spec, units)}`) + ARROW;
    const bar = spec.bar === "beside" ? BAR : 0;
    let widest = head;
    for (const rows of blocks)
      for (let row = 0; row < rows.length; row += 1)
        widest = Math.max(widest, measure(textOf(rows, row)) + bar);
    return Math.ceil(widest) + PADDING;
  }
}
