/** Lays out the columns of a table, and makes its name cells with shortened names. */
import type { Context } from "../../core/context";
import type { Rows } from "../../values/arrow";
import type { TimeUnit } from "../../values/format";
import type { ColumnSpec } from "../columnspec";
import { ColumnFit } from "./columnfit";
import { ColumnWidths } from "./columnwidths";
import { besideName, type NameCell, nameCell } from "./namecell";

/** Width that stays for other columns beside a name column fitted to its content, CSS px. */
const OTHERS_SEEN = 120;
/** The share of the width for names in a table that scrolls sideways. */
const NAMES = 0.36;
/** A twisty and a swatch, and the indentation of a few levels. */
const BESIDE = besideName({ slot: 0, twisty: null }) + 40;

interface Layout {
  specs: ColumnSpec[];
  /** Least width of the name column, or its width if it is fixed. */
  nameWidth: number;
  fixed: boolean;
}

export class TableColumns {
  readonly widths: ColumnWidths;
  #fit: ColumnFit;
  #layout: Layout = { specs: [], nameWidth: 0, fixed: false };
  /** Width of the name column, and of all. */
  #name = 0;
  #room = 0;

  constructor(
    private readonly ctx: Context,
    table: string,
  ) {
    this.widths = new ColumnWidths(ctx.session, table);
    this.#fit = new ColumnFit(ctx);
  }

  get specs(): readonly ColumnSpec[] {
    return this.#layout.specs;
  }

  /** The width of every column: as the user wants it, else as declared. */
  sized(specs: readonly ColumnSpec[]): ColumnSpec[] {
    const { all } = this.widths;
    return specs.map((spec) => ({ ...spec, width: all[spec.key] ?? spec.width }));
  }

  /**
   * Lay columns out.
   *
   * @param least - least width of the name column, CSS px, where it is not the usual one
   * @param room - width for all columns, CSS px
   */
  layOut(specs: ColumnSpec[], least: number | undefined, room: number): Layout {
    const own = this.widths.all[specs[0]?.key ?? ""];
    const others = specs.slice(1).reduce((sum, spec) => sum + spec.width, 0);
    const usual = this.ctx.width() === "narrow" ? 170 : 208;
    // A table that scrolls sideways anyway has room for its names.
    const enough = others + usual > room ? Math.max(usual, Math.round(NAMES * room)) : usual;
    const nameWidth = own ?? least ?? enough;
    this.#name = own ?? Math.max(nameWidth, room - others);
    this.#room = room;
    this.#layout = { specs, nameWidth, fixed: own !== undefined };
    return this.#layout;
  }

  /** Return a function that shortens the texts of a column; undefined for numbers. */
  shorten(spec: ColumnSpec): ((text: string) => string) | undefined {
    return spec.kind === "text" ? this.#fit.shorten(spec) : undefined;
  }

  /** The name cell of row `at`; names are shortened together, so that they differ. */
  nameCell(
    rows: Rows,
    at: number,
    name: (row: number) => string,
    look: (row: number) => Pick<NameCell, "slot" | "twisty"> & Partial<NameCell>,
  ): HTMLTableCellElement {
    const width = this.#name;
    const shown = this.#fit.names(rows, name, (row) => width - besideName(look(row)))[at];
    return nameCell(this.ctx, { name: name(at), shown, width, ...look(at) });
  }

  /** Fit the width of a column to its texts in some rows. */
  fit(
    key: string,
    blocks: readonly Rows[],
    units: ReadonlyMap<string, TimeUnit>,
    name: (rows: Rows, row: number) => string,
  ): void {
    const spec = this.specs.find((other) => other.key === key);
    if (!spec) return;
    const named = spec.kind === "name";
    const width = this.#fit.widthOf(spec, blocks, units, named ? name : undefined);
    const most = Math.max(this.#name, this.#room - OTHERS_SEEN);
    this.widths.set(key, named ? Math.min(width + BESIDE, most) : width);
  }
}
