/** The operators view: self times as donuts, total times as bars, and the table. */

import { Cards } from "../../chart/cards";
import { Donuts } from "../../chart/donuts";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { TraceInfo } from "../../core/protocol/protocol";
import { toKernels } from "../../table/links/kernels";
import { TableView } from "../../table/tableview";

export class OperatorsPanel implements Panel {
  readonly el: HTMLElement;
  #charts: Donuts;
  #cards: Cards;
  #table: TableView;

  constructor(ctx: Context) {
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
          title: "Device total time, % of the device time of all operators",
          picks: "name",
        },
        { name: "host_self", title: "Host self time", picks: "name" },
        {
          name: "host_total",
          title: "Host total time, % of the host time of all operators",
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
    this.el = ctx.h("div", { class: "nbp-body" }, this.#charts.el, this.#cards.el, this.#table.el);
  }

  setInfo(info: TraceInfo): void {
    this.#table.setInfo(info);
    this.#charts.setNote(info.has.device === false ? (info.hints.device ?? "") : "");
  }

  get parts(): readonly Part[] {
    return [this.#charts, this.#table];
  }

  exports(): Exportable[] {
    return [this.#table.exported, ...this.#cards.exports()];
  }
}
