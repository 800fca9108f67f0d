/** The generic panel of views described in Python: their cards, own figures and tables. */

import { Cards } from "../../chart/cards";
import { Chart } from "../../chart/chart";
import { withTemplates } from "../../chart/template";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { Described, TabTable, TraceInfo } from "../../core/protocol/protocol";
import type { Reply } from "../../core/protocol/router";
import type { ViewInfo } from "../../core/views/viewinfo";
import { TableView } from "../../table/tableview";

/** Data that a trace must contain for a grouping. */
const NEEDS: Record<string, string> = { "name+shape": "shapes", "name+stack": "stacks" };

export class CustomPanel implements Panel {
  readonly el: HTMLElement;
  #loader: Loader;
  #notes: HTMLElement;
  #cards: Cards;
  #figures: HTMLElement;
  #charts = new Map<string, Chart>();
  #tables: TableView[];

  constructor(
    private readonly ctx: Context,
    private readonly view: ViewInfo,
  ) {
    const { h } = ctx;
    this.#notes = h("div", { class: "nbp-muted", hidden: true });
    this.#cards = new Cards(ctx);
    this.#figures = h("div", { hidden: true });
    this.#tables = view.tables.map((table) => new TableView(ctx, this.#optionsOf(table)));
    const content = h("div", { class: "nbp-body", style: "padding:0" });
    content.append(this.#notes, this.#cards.el, this.#figures);
    this.#loader = new Loader(ctx, `charts:${view.name}`, "the charts", content);
    const tables = this.#tables.map(({ el }) => el);
    this.el = h("div", { class: "nbp-body" }, this.#loader.el, tables);
  }

  setInfo(info: TraceInfo): void {
    for (const table of this.#tables) table.setInfo(info);
  }

  get parts(): readonly Part[] {
    return [this, ...this.#tables];
  }

  update(): void {
    const room = this.ctx.room();
    if (room === 0) return;
    const { session } = this.ctx;
    const params = {
      state: session.state,
      view: this.view.name,
      theme: this.ctx.theme(),
      unit: session.get("time_unit") ?? "auto",
      width: room,
      choices: this.#cards.choices,
    };
    this.#loader.need(
      params,
      "",
      (params, options) =>
        session.router.request<Described>("charts", withTemplates(params), options),
      (reply) => this.#show(reply),
    );
  }

  exports(): Exportable[] {
    return [...this.#tables.map((table) => table.exported), ...this.#cards.exports()];
  }

  #show({ result, buffers }: Reply<Described>): void {
    const { h } = this.ctx;
    const { notes = [], cards = [], figures } = result;
    fill(this.#notes, ...notes.map((note) => h("div", {}, note)));
    this.#notes.hidden = !notes.length;
    this.#cards.show(result, buffers);
    const ofCards = new Set(cards.flatMap((card) => card.figures.map(({ name }) => name)));
    const own = Object.keys(figures).filter((name) => !ofCards.has(name));
    const charts = own.map((name) => {
      const item = figures[name];
      const title = (item && "title" in item && item.title) || name;
      const chart =
        this.#charts.get(name) ?? new Chart(this.ctx, { title, source: "", plain: true });
      this.#charts.set(name, chart);
      chart.el.style.overflowX = "auto"; // its width is set by the author of the view
      void chart.draw(item);
      return chart.el;
    });
    this.#figures.hidden = !charts.length;
    fill(this.#figures, ...charts);
    this.#loader.el.hidden = !notes.length && !cards.length && !charts.length;
  }

  #optionsOf({ table, title, nouns, groupings }: TabTable) {
    const [one = "row", many = "rows"] = nouns;
    const several = this.view.tables.length > 1;
    return {
      table,
      title,
      nouns: [one, many] as [string, string],
      calls: ["call", "calls"] as [string, string],
      groupings: several
        ? []
        : groupings.map(([value, label]) => ({
            value,
            label,
            ...(NEEDS[value] && { needs: NEEDS[value] }),
          })),
      ...(several && { part: table }),
      stacks: !several && groupings.some(([value]) => value === "name+stack"),
      foot: "",
    };
  }
}
