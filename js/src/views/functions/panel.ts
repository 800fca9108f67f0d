/** The functions view: functions of a profile of Python, an icicle chart, and callers and callees. */
import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { TraceInfo } from "../../core/protocol/protocol";
import { selectedNames } from "../../core/state/selecting";
import { SearchField } from "../../parts/searchfield";
import { TableView } from "../../table/tableview";
import { formatNumber, plural } from "../../values/format";
import { exactPattern } from "../../values/names";
import { Icicle } from "./icicle";

const CALL_LINES = 8;
/** Columns that other columns or the rows' frames show. */
const PLUMBING = ["name", "line", "call_stack"];

export class FunctionsPanel implements Panel {
  readonly el: HTMLElement;
  #search: SearchField;
  #icicle: Icicle;
  #table: TableView;
  #calls: TableView[];
  #callsBox: HTMLElement;
  #whom: HTMLElement;

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#search = new SearchField(ctx, "Search functions by name or file", "name, /…/");
    this.#icicle = new Icicle(ctx, this.#search.el);
    this.#table = new TableView(ctx, {
      table: "functions",
      title: "Functions",
      nouns: ["function", "functions"],
      calls: ["call", "calls"],
      groupings: [],
      stacks: true,
      counts: ({ all, total }) => countText(total, all),
      activate: {
        words: "filter to it",
        run: (rows, at) => ctx.session.setFilter({ name: exactPattern([rows.text("name", at)]) }),
      },
      searchless: true,
      without: () => PLUMBING,
      foot: "Click a function for its callers and callees; open it for its source line",
    });
    this.#calls = ["callers", "callees"].map((side) => this.#tableOf(side));
    this.#whom = h("p", { class: "nbp-label nbp-ofwhom" });
    this.#callsBox = h("div", { class: "nbp-calls" }, ...this.#calls.map(({ el }) => el));
    this.el = h(
      "div",
      { class: "nbp-body" },
      this.#icicle.el,
      this.#table.el,
      this.#whom,
      this.#callsBox,
    );
  }

  setInfo(info: TraceInfo): void {
    for (const table of [this.#table, ...this.#calls]) table.setInfo(info);
  }

  get parts(): readonly Part[] {
    const calls = this.#calls.map((table) => ({ update: () => this.#selected && table.update() }));
    return [this, this.#icicle, this.#table, ...calls];
  }

  update(): void {
    this.#search.update();
    const name = this.#selected;
    this.#callsBox.hidden = !name;
    this.#whom.textContent = name
      ? `Callers and callees of ${name}`
      : "Select a function to see its callers and callees.";
  }

  exports(): Exportable[] {
    const calls = this.#selected ? this.#calls.map((table) => table.exported) : [];
    return [...this.#icicle.exports(), this.#table.exported, ...calls];
  }

  /** The function whose callers and callees are shown; "" for none. */
  get #selected(): string {
    return selectedNames(this.ctx.session)[0] ?? "";
  }

  #tableOf(side: string): TableView {
    // Two tables of one kind: requests of one would replace those of the other under one id.
    const ctx: Context = Object.create(this.ctx, { id: { value: `${this.ctx.id}:${side}` } });
    return new TableView(ctx, {
      table: "function_callers",
      title: side === "callers" ? "Callers" : "Callees",
      nouns: ["function", "functions"],
      calls: ["call", "calls"],
      groupings: [],
      stacks: false,
      searchless: true,
      lines: CALL_LINES,
      counts: ({ all, total }) => countText(total, all),
      more: () => ({ calls: { of: this.#selected, side } }),
      activate: {
        words: "go to it",
        run: (rows, at) => this.ctx.session.set({ selection: [{ name: rows.text("name", at) }] }),
      },
      unnamed: () => "(not in the profile)",
      foot: side === "callers" ? "Times of the function in these calls" : "Times in these calls",
    });
  }
}

function countText(total: number, all: number): string {
  return `${total === all ? "" : `${formatNumber(total)} of `}${plural(all, "function")}`;
}
