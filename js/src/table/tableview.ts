/** `TableView`: a complete table: the bar above it, the grid, and the notes below. */

import { copyText } from "../core/clipboard";
import type { Context, TableExport } from "../core/context";
import { type Attributes, fill } from "../core/dom";
import { Loader } from "../core/loader";
import type { TraceInfo } from "../core/protocol/protocol";
import { sameValue } from "../core/state/equality";
import { selectedNames, useOf } from "../core/state/selecting";
import { signal } from "../core/state/signals";
import type { Rows } from "../values/arrow";
import { formatNumber, type TimeUnit } from "../values/format";
import { keyHelp } from "../values/text";
import { columnSpecs, withRoom } from "./columns";
import type { ColumnSpec } from "./columnspec";
import { emptyTable } from "./emptytable";
import { familyUnits, valueCell } from "./grid/cells";
import { Drilldown } from "./grid/drilldown";
import { Grid } from "./grid/grid";
import { spreading } from "./grid/spreading";
import { stackText } from "./grid/stackcell";
import { TableColumns } from "./grid/tablecolumns";
import { hasTimeline, showInTimeline } from "./links/slices";
import { BLOCK, type Block, fetchPage, PageStore, type Query } from "./pagestore";
import { RowSelection } from "./selection";
import { TableHead } from "./tablehead";
import type { TableOptions } from "./tableoptions";

export class TableView {
  readonly el: HTMLElement;
  #head: TableHead;
  #grid: Grid;
  #loader: Loader;
  #empty: HTMLElement;
  #foot: HTMLElement;
  #range: HTMLElement;
  #store: PageStore | null = null;
  #units: ReadonlyMap<string, TimeUnit> = new Map();
  /** The sorting that the user chose, and the one that Python applied. */
  #chosenSort = signal<Query["sort"]>(null);
  #sort: Query["sort"] = null;
  #stacks: Drilldown;
  #spread: ReturnType<typeof spreading>;
  #columns: TableColumns;
  /** The values that the grid's header was drawn from. */
  #drawn: unknown;
  /** The rows in sight; the first ones before the table is shown. */
  #seenRows: readonly [number, number] = [0, BLOCK];
  /** A row to scroll to once the rows are drawn; -1 for none. */
  #awaited = -1;
  #selection: RowSelection;

  constructor(
    private readonly ctx: Context,
    private readonly options: TableOptions,
  ) {
    const { h } = ctx;
    this.#columns = new TableColumns(ctx, options.table);
    this.#head = new TableHead(ctx, options, () => this.#columns.widths.resetting);
    const owner = {
      owns: () => this.#head.owns,
      part: options.part,
      groupBy: () => this.#head.group_by,
    };
    this.#selection = new RowSelection(ctx.session, () => this.#store, owner);
    const role = options.tree ? "treegrid" : "grid";
    this.#grid = new Grid(ctx, options.title, this.#source(), this.#events(), options.lines, role);
    this.#stacks = new Drilldown(ctx, this.#grid);
    this.#spread = spreading(ctx, options, this.#head.setSearch, this.#grid);
    this.#empty = h("div", { hidden: true });
    this.#range = h("span");
    const timeline = hasTimeline(ctx.session);
    const keys = h(
      "span",
      { class: "nbp-keys", style: "margin-left:auto" },
      keyHelp(h, {
        stacks: options.stacks,
        ...(options.activate && { enter: options.activate.words }),
        timeline: timeline && !(options.activate && !options.activate.timeline),
      }),
    );
    this.#foot = h("div", { class: "nbp-foot" }, this.#range, h("span", {}, options.foot), keys);
    const content = h("div", {}, this.#empty, this.#grid.el, this.#foot);
    this.#loader = new Loader(ctx, `page:${options.table}`, `the ${options.table}`, content);
    this.el = h("section", {}, this.#head.el, this.#loader.el);
    this.#grid.onRange = (first, last) => this.#sayRange(first, last);
  }

  /** The query of the rows on screen. */
  get query(): Query {
    const { state } = this.ctx.session;
    const { table } = this.options;
    const { group_by, search } = this.#head;
    const memory = this.options.lens?.();
    const shares = this.#head.shares && { shares: true as const };
    const more = { ...shares, ...(memory && { memory }), ...this.options.more?.() };
    return { state, table, group_by, sort: this.#chosenSort.value, search, ...more };
  }

  /** The table on screen, for the Export menu. */
  get exported(): TableExport {
    const { title } = this.options;
    const columns = this.#columns.specs.map((spec) => spec.key);
    return { title, query: this.query, columns, sort: this.#sort, seen: this.#seenRows };
  }

  setInfo(info: TraceInfo): void {
    this.#head.setInfo(info);
  }

  update(): void {
    this.#head.update();
    const asked = this.#loader.need(
      this.query,
      this.#scope(),
      (query, options) => fetchPage(this.ctx.session.router, query, 0, BLOCK, options),
      (block, query) => this.#show(query, block),
    );
    if (!asked && this.#store) this.#draw();
  }

  #scope(): string {
    const { steps } = this.ctx.session.state.filter;
    if (!steps) return "";
    return steps[0] === steps[1] ? `for step ${steps[0]}` : `for steps ${steps[0]} to ${steps[1]}`;
  }

  #show(query: Query, block: Block): void {
    const before = this.#store?.query;
    this.#store = new PageStore(query, block);
    this.#sort = block.page.sort ?? query.sort;
    // Another trace may lack values in the column of the sorting.
    if (query.sort && block.page.hidden.includes(query.sort[0])) {
      this.#chosenSort.value = null;
      return;
    }
    this.#stacks.clear();
    this.#selection.forget();
    const sameOrder = sameValue(before?.sort, query.sort) && before?.search === query.search;
    if (!sameOrder) this.#grid.scrollToTop();
    this.#head.setPage(block.page, this.#specsOf(block.rows));
    this.#drawn = undefined;
    const { match = -1 } = block.page;
    this.#awaited = before?.tree?.search !== query.tree?.search ? match : -1;
    const { total, all } = block.page;
    const [one, many] = this.options.nouns;
    const noun = all === 1 ? one : many;
    const of = total === all ? "" : ` of ${formatNumber(all)}`;
    this.ctx.announce(`${formatNumber(total)}${of} ${noun}`);
  }

  #specsOf(rows: Rows): ColumnSpec[] {
    const without = this.options.without?.() ?? [];
    const columns = rows.columns.filter((column) => !without.includes(column.name));
    return columnSpecs(this.options.table, columns);
  }

  #draw(): void {
    const store = this.#store;
    if (!store) return;
    const { page, rows } = store.first;
    const nothing = page.total === 0;
    this.#grid.el.hidden = nothing;
    this.#foot.hidden = nothing;
    this.#empty.hidden = !nothing;
    this.#head.el.toggleAttribute("data-none", page.all === 0);
    if (nothing) {
      fill(this.#empty, emptyTable(this.ctx, page.empty, this.#head.setSearch));
      return;
    }
    const unit = this.ctx.session.get("time_unit") ?? "auto";
    const shown = withRoom(this.#head.shown(this.#specsOf(rows)), unit);
    const specs = this.#columns.sized(shown);
    const { ctx } = this;
    const widths = specs.map(({ key, width }) => [key, width]);
    const head = [widths, unit, ctx.width(), ctx.room(), this.#sort];
    if (!sameValue(head, this.#drawn)) {
      this.#drawn = head;
      this.#units = familyUnits(specs, rows, 14, unit);
      const layout = this.#columns.layOut(
        specs,
        this.options.nameWidth,
        this.#grid.room(page.total),
      );
      this.#grid.setHead({ ...layout, units: this.#units, sort: this.#sort });
    }
    this.#grid.setRows(page.total);
    this.#spread(store, specs, this.#units);
    if (this.#awaited >= 0) this.#grid.goTo(this.#awaited, false);
    this.#awaited = -1;
    const chosen = this.#selection.selectedElsewhere(rows.length);
    if (chosen >= 0) this.#grid.goTo(chosen, false);
  }

  #source() {
    return {
      cells: (row: number) => this.#cells(row),
      childCells: (row: number, child: number) =>
        this.#stacks.cells(row, child, this.#columns.specs, this.#units),
      isSelected: (row: number) => this.#selection.has(row),
      attributes: (row: number) => this.#attributes(row),
      seen: (first: number, last: number) => this.#seen(first, last),
    };
  }

  #attributes(row: number): Attributes {
    const { attributes, tree } = this.options;
    const found = attributes && this.#store?.locate(row);
    return {
      ...tree?.attributes(this.#store, row),
      ...(found && attributes(found.block.rows, found.at)),
    };
  }

  #cells(row: number): HTMLTableCellElement[] | null {
    const found = this.#store?.locate(row);
    if (!found) return null;
    const { rows, page } = found.block;
    return this.#columns.specs.map((spec) =>
      spec.kind === "name"
        ? this.#nameCell(row, rows, found.at, page.slots)
        : spec.key === "call_stack"
          ? stackText(this.ctx, rows.text(spec.key, found.at))
          : valueCell(this.ctx.h, spec, rows.get(spec.key, found.at), {
              units: this.#units,
              maximum: this.#store?.first.page.maxima[spec.key],
              note: this.#store?.first.page.notes?.[spec.key],
              shorten: this.#columns.shorten(spec),
            }),
    );
  }

  #name(rows: Rows, at: number): string {
    return (
      rows.text(this.#columns.specs[0]?.key ?? "", at) || this.options.unnamed?.(rows, at) || ""
    );
  }

  #nameCell(row: number, rows: Rows, at: number, slots: readonly number[]): HTMLTableCellElement {
    const open = this.#stacks.isOpen(row);
    const twisty = this.options.stacks
      ? { open, toggle: () => (open ? this.#stacks.close(row) : this.#open(row)) }
      : null;
    const look = (other: number) => ({
      slot: slots[other],
      twisty,
      ...this.options.tree?.look(rows, other),
    });
    return this.#columns.nameCell(rows, at, (other) => this.#name(rows, other), look);
  }

  #open(row: number): void {
    const found = this.#store?.locate(row);
    if (this.options.tree) this.#step(row, true);
    if (!this.options.stacks || !found) return;
    const { rows } = found.block;
    if (rows.column("call_stack")) void this.#stacks.show(row, rows.text("call_stack", found.at));
    else void this.#stacks.open(row, this.options.table, rows, found.at);
  }

  /** Handle a key that moves into the tree or out of it. */
  #step(row: number, inwards: boolean): void {
    const to = this.options.tree?.step(this.#store, row, inwards);
    if (to !== undefined) this.#grid.goTo(to, true);
  }

  #seen(first: number, last: number): void {
    const store = this.#store;
    const offset = store?.missing(first, last) ?? null;
    if (!store || offset === null) return;
    const options = { slot: `${this.ctx.id}:block:${this.options.table}`, signal: this.ctx.signal };
    store.bring(this.ctx.session.router, offset, options).then(
      () => store === this.#store && this.#grid.draw(true),
      () => {}, // superseded by a newer request, or reported by the banner
    );
  }

  #events() {
    return {
      sort: (key: string) => this.#sortBy(key),
      resize: (key: string, width: number) => this.#columns.widths.set(key, width),
      fit: (key: string) => {
        const blocks = this.#store?.received ?? [];
        this.#columns.fit(key, blocks, this.#units, (rows, at) => this.#name(rows, at));
      },
      select: (row: number, add: boolean) => this.#selection.select(row, add),
      range: (row: number) => this.#selection.range(row),
      activate: (row: number) => {
        if (this.options.activate) return this.#activate(row);
        this.#include(row);
        const use = useOf(this.ctx.session);
        if (use && !use.done) this.ctx.announce(use.run());
      },
      open: (row: number) => this.#open(row),
      close: (row: number) =>
        this.options.tree ? this.#step(row, false) : this.#stacks.close(row),
      copy: (row: number) => void this.#copyNames(row),
      clear: () => this.ctx.session.set({ selection: [] }),
      show: (row: number) => {
        const { activate } = this.options;
        if (activate && activate.timeline !== true)
          return this.#activate(row, activate.timeline || activate.run);
        this.#include(row);
        showInTimeline(this.ctx, selectedNames(this.ctx.session));
      },
      hover: (row: number | null) => {
        const found = row === null ? null : this.#store?.locate(row);
        this.options.hover?.(found ? { rows: found.block.rows, at: found.at } : null);
      },
    };
  }

  #activate(row: number, run = this.options.activate?.run): void {
    const found = this.#store?.locate(row);
    if (found) run?.(found.block.rows, found.at);
  }

  #include(row: number): void {
    if (!this.#selection.has(row)) this.#selection.select(row, false);
  }

  #sortBy(key: string): void {
    const spec = this.#columns.specs.find((other) => other.key === key);
    const first = spec?.kind === "name" || spec?.kind === "text" ? "asc" : "desc";
    const second = first === "asc" ? "desc" : "asc";
    const now = this.#chosenSort.value ?? this.#sort;
    const again = now?.[0] === key;
    // Modules go back to the order in which they ran.
    const back = this.options.tree && again && now[1] === second;
    this.#chosenSort.value = back ? null : [key, again && now[1] === first ? second : first];
  }

  async #copyNames(row: number): Promise<void> {
    const found = this.#store?.locate(row);
    const names = selectedNames(this.ctx.session);
    const own = found ? this.#name(found.block.rows, found.at) : "";
    await copyText((names.includes(own) ? names : [own]).join("\n"));
    this.ctx.announce("Name copied");
  }

  #sayRange(first: number, last: number): void {
    this.#seenRows = [first - 1, last];
    const total = this.#store?.total ?? 0;
    const end = Math.min(last, total);
    this.#range.textContent = `Rows ${formatNumber(first)} to ${formatNumber(end)} of ${formatNumber(total)}`;
  }
}
