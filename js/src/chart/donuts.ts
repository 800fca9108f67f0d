/** The donuts above a table (bars where times overlap), with the number of slices and table switches. */

import type { Context } from "../core/context";
import { Loader } from "../core/loader";
import type { Described } from "../core/protocol/protocol";
import { signal } from "../core/state/signals";
import { button } from "../parts/states";
import type { Picks } from "../picking/items";
import type { Cards } from "./cards";
import { Chart } from "./chart";
import { withTemplates } from "./template";
import { TopField, topOf } from "./topfield";

interface DonutSpec {
  name: string;
  title: string;
  /** Two thirds of the row. */
  wide?: boolean;
  /** The kind of its slices, if they can be selected. */
  picks?: Picks;
}

interface DonutsOptions {
  /** Cards under the donuts. */
  cards?: Cards;
  view: string;
  title: string;
  columns: number;
  charts: DonutSpec[];
}

/** Width from which a wide donut and another one stand side by side, CSS px. */
const BESIDE = 800;

export class Donuts {
  readonly el: HTMLElement;
  #charts: Map<string, Chart>;
  #row: HTMLElement;
  #note: HTMLElement;
  #loader: Loader;
  #top: TopField;
  #hidden = signal(false);
  #asTable = false;

  constructor(
    private readonly ctx: Context,
    private readonly options: DonutsOptions,
  ) {
    const { h } = ctx;
    this.#charts = new Map(
      options.charts.map(({ name, title, picks }) => [
        name,
        new Chart(ctx, { title, source: "slices", picks }),
      ]),
    );
    this.#row = h("div", { class: "nbp-charts" });
    this.#row.append(...[...this.#charts.values()].map((chart) => chart.el));
    this.#note = h("p", { class: "nbp-muted", style: "margin:0 0 8px", hidden: true });
    this.#loader = new Loader(ctx, `charts:${options.view}`, "the charts", this.#row);
    this.#top = new TopField(ctx);
    const view = button(
      h,
      "View as table",
      () => {
        this.#asTable = !this.#asTable;
        view.textContent = this.#asTable ? "View as charts" : "View as table";
        for (const chart of this.#charts.values()) chart.setAsTable(this.#asTable);
      },
      "quiet",
    );
    const hide = button(
      h,
      "Hide charts",
      () => {
        const hidden = !this.#hidden.value;
        hide.textContent = hidden ? "Show charts" : "Hide charts";
        this.#loader.el.hidden = hidden;
        this.#hidden.value = hidden;
      },
      "quiet",
    );
    for (const element of [view, hide]) element.dataset.offline = "";
    this.el = h(
      "section",
      {},
      h(
        "div",
        { class: "nbp-head" },
        h("h3", {}, options.title),
        h("span", { class: "nbp-gap" }),
        this.#top.el,
        view,
        hide,
      ),
      this.#note,
      this.#loader.el,
    );
  }

  /** Set the note about what the charts do not include. */
  setNote(text: string): void {
    this.#note.textContent = text;
    this.#note.hidden = text === "";
  }

  update(): void {
    this.#top.update();
    const room = this.ctx.room();
    if (this.#hidden.value || room === 0) return;
    const { session } = this.ctx;
    const params = {
      state: session.state,
      view: this.options.view,
      top: topOf(this.ctx),
      theme: this.ctx.theme(),
      unit: session.get("time_unit") ?? "auto",
      width: this.#widths(room),
      ...(this.options.cards && { choices: this.options.cards.choices }),
    };
    this.#loader.need(
      params,
      "",
      (params, options) =>
        session.router.request<Described>("charts", withTemplates(params), options),
      ({ result, buffers }) => {
        this.el.hidden = Object.keys(result.figures).length === 0;
        for (const [name, chart] of this.#charts) void chart.draw(result.figures[name]);
        this.options.cards?.show(result, buffers);
      },
    );
  }

  #widths(room: number): Record<string, number> {
    const width = this.ctx.width();
    const wide = this.options.charts.some((chart) => chart.wide);
    const single = width === "narrow" || (wide && room < BESIDE);
    this.#row.dataset.layout = single ? "one" : wide ? "uneven" : "four";
    const half = single ? room : Math.floor((room - 16) / 2);
    const widths: Record<string, number> = { "": room };
    for (const chart of this.options.charts) {
      const share = chart.wide ? 2 : 1;
      const third = single ? room : Math.floor(((room - 16) * share) / 3);
      widths[chart.name] = wide ? third : half;
    }
    return widths;
  }
}
