/** A table of slices by name for host or device, sorted in the browser; a row searches its name. */

import { copyText } from "../../../../core/clipboard";
import type { Context } from "../../../../core/context";
import { sameValue } from "../../../../core/state/equality";
import type { ColumnSpec } from "../../../../table/columnspec";
import { familyUnits, valueCell } from "../../../../table/grid/cells";
import { Grid } from "../../../../table/grid/grid";
import { nameCell } from "../../../../table/grid/namecell";
import { Rows } from "../../../../values/arrow";
import { formatNumber, plural, type TimeUnit } from "../../../../values/format";
import { exactPattern } from "../../../../values/names";
import type { Timeline } from "../../state/types";

const LINES = 7;
const NAME_WIDTH = 160;
/** Assumed width, CSS px, before layout. */
const SOME_ROOM = 600;

const LOOKS = [
  { key: "name", label: "Name", kind: "name", width: NAME_WIDTH },
  { key: "count", label: "Count", kind: "count", width: 64 },
  { key: "total_us", label: "Total", kind: "time", width: 84, bar: "under" },
  { key: "self_us", label: "Self", kind: "time", width: 84 },
  { key: "mean_us", label: "Mean", kind: "time", width: 84 },
] as const;

export class NamesTable {
  readonly el: HTMLElement;
  #counts: HTMLElement;
  #grid: Grid;
  /** The rows of this side, in received and in sorted order. */
  #given: number[] = [];
  #all: Rows | null = null;
  #order: number[] = [];
  #rows: Rows = new Rows(0, []);
  #specs: ColumnSpec[] = [];
  #units: ReadonlyMap<string, TimeUnit> = new Map();
  #sort: [string, "asc" | "desc"];
  #largest = 0;
  #drawn: unknown;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    private readonly title: string,
    private readonly color: string,
    sort: string,
  ) {
    const { h } = ctx;
    this.#sort = [sort, "desc"];
    this.#counts = h("small");
    this.#grid = new Grid(ctx, `${title}, by name`, this.#source(), this.#events(), LINES);
    this.el = h(
      "section",
      { class: "nbp-tl-names", hidden: true },
      h("h3", {}, title, this.#counts),
      this.#grid.el,
    );
  }

  set(rows: Rows, mine: number[], slices: string): void {
    this.#all = rows;
    this.#given = mine;
    const known = (key: string) => mine.some((row) => rows.get(key, row) !== null);
    this.#specs = LOOKS.filter(({ key }) => known(key)).map((look) => ({
      unit: "",
      meaning: rows.column(look.key)?.meaning ?? "",
      ...look,
      ...("bar" in look ? { fill: this.color } : {}),
    }));
    this.#largest = mine.reduce(
      (most, row) => Math.max(most, rows.number("total_us", row) ?? 0),
      0,
    );
    this.#counts.textContent = `${slices} · ${plural(mine.length, "name")}`;
    this.el.hidden = mine.length === 0;
    this.#arrange();
    this.#grid.scrollToTop();
    this.#drawn = undefined;
  }

  draw(): void {
    if (this.el.hidden || !this.el.isConnected) return;
    const choice = this.ctx.session.get("time_unit") ?? "auto";
    const { search } = this.timeline.state;
    const key = [choice, this.#sort, this.ctx.room(), this.#room(), search];
    if (sameValue(key, this.#drawn)) return;
    this.#drawn = key;
    this.#units = familyUnits(this.#specs, this.#rows, LINES, choice);
    this.#grid.setHead({
      specs: this.#specs,
      units: this.#units,
      sort: this.#sort,
      nameWidth: NAME_WIDTH,
    });
    this.#grid.setRows(this.#order.length);
  }

  #room(): number {
    return this.el.clientWidth || SOME_ROOM;
  }

  #source() {
    return {
      cells: (line: number) => this.#cells(line),
      childCells: () => [],
      isSelected: (line: number) => this.timeline.state.search === exactPattern([this.#name(line)]),
      seen: () => {},
    };
  }

  #events() {
    return {
      sort: (key: string) => this.#sortBy(key),
      select: (line: number) => this.timeline.setSearch(exactPattern([this.#name(line)])),
      activate: (line: number) => {
        this.timeline.setSearch(exactPattern([this.#name(line)]));
        this.timeline.findNext(1);
      },
      open: () => {},
      close: () => {},
      copy: (line: number) => {
        void copyText(this.#name(line)).then(() => this.ctx.announce("Name copied"));
      },
      clear: () => this.timeline.setSearch(""),
    };
  }

  #name(line: number): string {
    return this.#rows.text("name", line);
  }

  #cells(line: number): HTMLTableCellElement[] | null {
    const rows = this.#rows;
    if (line >= rows.length) return null;
    const others = this.#specs.slice(1).reduce((sum, spec) => sum + spec.width, 0);
    return this.#specs.map((spec, at) =>
      at === 0
        ? nameCell(this.ctx, {
            name: rows.text("name", line),
            slot: undefined, // a name may stand for slices of several categories
            width: Math.max(NAME_WIDTH, this.#room() - 2 - others),
            twisty: null,
          })
        : valueCell(this.ctx.h, spec, rows.get(spec.key, line), {
            units: this.#units,
            maximum: this.#largest,
          }),
    );
  }

  #sortBy(key: string): void {
    const first = key === "name" ? "asc" : "desc";
    const second = first === "asc" ? "desc" : "asc";
    const [now, direction] = this.#sort;
    this.#sort = [key, now === key && direction === first ? second : first];
    this.#arrange();
    this.draw();
    this.ctx.announce(`${this.title} sorted, ${formatNumber(this.#order.length)} rows`);
  }

  #arrange(): void {
    const rows = this.#all;
    if (!rows) return;
    const [key, direction] = this.#sort;
    const sign = direction === "asc" ? 1 : -1;
    this.#order = [...this.#given].sort((a, b) => {
      if (key === "name") return sign * rows.text(key, a).localeCompare(rows.text(key, b));
      // Nulls come last in both directions.
      const [left, right] = [rows.number(key, a), rows.number(key, b)];
      if (left === null || right === null) return Number(left === null) - Number(right === null);
      return sign * (left - right);
    });
    this.#rows = picked(rows, this.#order);
  }
}

/** The table of the given rows, in the given order. */
function picked(rows: Rows, order: readonly number[]): Rows {
  const columns = rows.columns.map((column) => ({
    ...column,
    at: (line: number) => column.at(order[line] as number),
  }));
  return new Rows(order.length, columns);
}
