/** The operators view: self times as donuts, total times as bars, and the table. */

import { Cards } from "../../chart/cards";
import { Donuts } from "../../chart/donuts";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill } from "../../core/dom";
import type { TraceInfo } from "../../core/protocol/protocol";
import { Segments } from "../../parts/segments";
import { toKernels } from "../../table/links/kernels";
import { TableView } from "../../table/tableview";
import { AveragesTable } from "./averages";

type Tab = "operators" | "table";

export class OperatorsPanel implements Panel {
  readonly el: HTMLElement;
  #charts: Donuts;
  #cards: Cards;
  #table: TableView;
  #averages: AveragesTable;
  /** The grouping of PyTorch's table when it was last on screen. */
  #averagesBy = "name";
  #tabs: Segments<Tab>;
  #body: HTMLElement;

  constructor(private readonly ctx: Context) {
    this.#cards = new Cards(ctx);
    this.#charts = new Donuts(ctx, {
      view: "operators",
      cards: this.#cards,
      title: "Time by operator",
      columns: 2,
      charts: [
        { name: "device_self", title: "Device self time", picks: "name" },
        {
          name: "device_total",
          title: "Device total time, % of the self time of all operators",
          picks: "name",
        },
        { name: "host_self", title: "Host self time", picks: "name" },
        {
          name: "host_total",
          title: "Host total time, % of the self time of all operators",
          picks: "name",
        },
      ],
    });
    this.#table = new TableView(ctx, {
      table: "operators",
      title: "Operators",
      nouns: ["operator", "operators"],
      calls: ["call", "calls"],
      groupings: [
        { value: "name", label: "Name" },
        { value: "name+shape", label: "Name + shape", needs: "shapes" },
        { value: "name+stack", label: "Name + stack", needs: "stacks" },
      ],
      stacks: true,
      ...toKernels(ctx.session),
      foot: "Bars: share of the largest value in the column",
    });
    this.#averages = new AveragesTable(ctx);
    this.#tabs = new Segments(ctx.h, "Table", (tab) => {
      const { session } = ctx;
      this.#averagesBy = session.get("averages_by") || this.#averagesBy;
      session.set({ averages_by: tab === "table" ? this.#averagesBy : "" });
    });
    this.#body = ctx.h("div");
    this.el = ctx.h(
      "div",
      { class: "nbp-body" },
      this.#charts.el,
      this.#cards.el,
      ctx.h("div", {}, this.#tabs.el),
      this.#body,
    );
  }

  get #tab(): Tab {
    return this.ctx.session.get("averages_by") ? "table" : "operators";
  }

  /** Show the table of the tab. */
  #draw(): void {
    const tab = this.#tab;
    this.#tabs.set(
      [
        { value: "operators", label: "Operators" },
        { value: "table", label: "Table" },
      ],
      tab,
    );
    const shown = tab === "table" ? this.#averages : this.#table;
    if (this.#body.firstChild !== shown.el) fill(this.#body, shown.el);
    shown.update();
  }

  setInfo(info: TraceInfo): void {
    this.#table.setInfo(info);
    this.#averages.setInfo(info);
    const { device, no_operator } = info.hints;
    this.#charts.setNote(device ?? no_operator ?? "");
  }

  get parts(): readonly Part[] {
    return [this.#charts, { update: () => this.#draw() }];
  }

  exports(): Exportable[] {
    const { exported } = this.#tab === "table" ? this.#averages.table : this.#table;
    return [exported, ...this.#cards.exports()];
  }
}
