/** Cards that Python describes: each has a title, switches, charts and a table of numbers. */

import type { Context, TableExport } from "../core/context";
import { fill, renew, setText } from "../core/dom";
import type { CardInfo, Described } from "../core/protocol/protocol";
import { signal } from "../core/state/signals";
import { Segments } from "../parts/segments";
import { link } from "../parts/states";
import { SelectField } from "../shell/controls";
import { plainExport } from "../table/exports";
import { plainTable } from "../table/plaintable";
import { readRows } from "../values/arrow";
import { formatNumber } from "../values/format";
import { Chart } from "./chart";

export class Cards {
  readonly el: HTMLElement;
  #choices = signal<Record<string, Record<string, string>>>({});
  #cards = new Map<string, Card>();
  #shown: readonly CardInfo[] = [];

  constructor(private readonly ctx: Context) {
    this.el = ctx.h("div", { class: "nbp-cards" });
  }

  /** The choice made in each card, for the next request. */
  get choices(): Record<string, Record<string, string>> {
    return this.#choices.value;
  }

  /** The tables of the cards on screen that have one of their own. */
  exports(): TableExport[] {
    return this.#shown.flatMap(({ title, table }) =>
      table ? [plainExport(this.ctx, title, table)] : [],
    );
  }

  show({ cards = [], figures }: Described, buffers: readonly Uint8Array[]): void {
    this.#shown = cards;
    const shown = cards.map((info) => {
      const card = this.#cards.get(info.name) ?? new Card(this.ctx, info);
      this.#cards.set(info.name, card);
      card.choose = (key, option) => {
        const choice = { ...info.choice, [key]: option };
        this.#choices.value = { ...this.choices, [info.name]: choice };
      };
      card.show(info, figures, buffers[info.rows] ?? new Uint8Array());
      return card.el;
    });
    this.el.hidden = !shown.length;
    refill(this.el, shown);
  }
}

class Card {
  readonly el: HTMLElement;
  choose: (key: string, option: string) => void = () => {};
  #parts = new Map<string, Chart>();
  #small: HTMLElement;
  #charts: HTMLElement;
  #table: HTMLElement;
  #switches: (Segments<string> | SelectField)[];
  #view: HTMLElement;
  #asTable = false;
  /** Fills the table, which is made when it is shown. */
  #fill: (() => void) | null = null;

  constructor(
    private readonly ctx: Context,
    { title, switches, table }: CardInfo,
  ) {
    const { h } = ctx;
    this.#switches = switches.map(({ key, label, menu }) => {
      const choose = (option: string) => this.choose(key, option);
      return menu ? new SelectField(h, label, choose) : new Segments<string>(h, label, choose);
    });
    this.#view = link(h, "View as table", () => {
      this.#asTable = !this.#asTable;
      this.#view.textContent = this.#asTable ? "View as chart" : "View as table";
      this.#arrange(table);
    });
    this.#view.dataset.offline = "";
    this.#small = h("small");
    this.#charts = h("div", { class: "nbp-side" });
    this.#table = h("div");
    const head = h("div", { class: "nbp-head" }, h("h3", {}, title, this.#small));
    head.append(h("span", { class: "nbp-gap" }), ...this.#switches.map(({ el }) => el), this.#view);
    this.el = h("section", {}, head, this.#charts, this.#table);
    this.#arrange(table);
  }

  show(info: CardInfo, figures: Described["figures"], buffer: Uint8Array): void {
    const { title, note, table, of } = info;
    info.switches.forEach(({ key, options }, at) => {
      const choices = options.map(([value, label]) => ({ value, label }));
      const field = this.#switches[at];
      field?.set(choices, info.choice[key] ?? "");
      if (field) field.el.hidden = options.length < 2;
    });
    const charts = info.figures.map((figure) => {
      const chart = this.#parts.get(figure.name) ?? this.#chart(figure, info);
      this.#parts.set(figure.name, chart);
      void chart.draw(figures[figure.name]);
      return chart.el;
    });
    refill(this.#charts, charts);
    let small = note;
    this.#view.hidden = Boolean(table) || info.rows < 0;
    this.#fill = () => fill(this.#table);
    if (info.rows >= 0) {
      const rows = readRows(buffer);
      const cut = of > rows.length ? `${formatNumber(rows.length)} of ${formatNumber(of)}` : "";
      small = [note, cut].filter(Boolean).join(", ");
      this.#fill = () => {
        const drawn = plainTable(this.ctx, table || info.name, rows, title, info.picks);
        drawn.style.maxHeight = "320px";
        renew(this.#table, drawn);
      };
    }
    setText(this.#small, small);
    this.#arrange(table);
  }

  #chart({ kind, title }: CardInfo["figures"][0], { title: card, picks }: CardInfo): Chart {
    const bars = kind !== "donut";
    const chart = new Chart(this.ctx, {
      title: title || card,
      source: bars ? "bars" : "slices",
      plain: bars,
      picks: picks && picks !== "within" && picks !== "range" ? picks : undefined,
    });
    if (bars) chart.describe(`${title || card}, ${kind === "bars" ? "stacked bars" : kind}`);
    if (bars && title) chart.el.dataset.title = title; // donuts contain their title
    return chart;
  }

  /** A card's own table stands under its charts; without one, the charts' numbers replace them. */
  #arrange(table: string): void {
    this.#charts.hidden = this.#asTable;
    this.#table.hidden = !table && !this.#asTable;
    if (this.#table.hidden) return;
    this.#fill?.();
    this.#fill = null;
  }
}

/**
 * Insert only the missing children, so that the others keep the focus. Those that are not shown keep
 * their size, out of sight: BokehJS lays a figure out anew for each change of size.
 */
function refill(el: HTMLElement, children: HTMLElement[]): void {
  const before = [...el.children];
  const all = [...new Set<Element>([...children, ...before])];
  for (const [at, child] of all.entries())
    child.toggleAttribute("data-away", at >= children.length);
  if (all.some((child, at) => child !== before[at])) fill(el, all);
}
