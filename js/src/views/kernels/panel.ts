/** The kernels view: time by name, the cores that kernels ran on, and the table. */

import { Donuts } from "../../chart/donuts";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { TraceInfo } from "../../core/protocol/protocol";
import { TableView } from "../../table/tableview";

export class KernelsPanel implements Panel {
  readonly el: HTMLElement;
  #charts: Donuts;
  #table: TableView;

  constructor(ctx: Context) {
    this.#charts = new Donuts(ctx, {
      view: "kernels",
      title: "Kernel time",
      columns: 2,
      charts: [
        { name: "total_time", title: "Kernel time by name", wide: true, picks: "name" },
        { name: "tensor_cores", title: "Matrix units, share of kernel time" },
        { name: "accelerator_cores", title: "Kernel time by accelerator core" },
      ],
    });
    this.#table = new TableView(ctx, {
      table: "kernels",
      title: "Kernels",
      nouns: ["kernel", "kernels"],
      calls: ["launch", "launches"],
      groupings: [
        { value: "name", label: "Name" },
        { value: "properties", label: "Name + launch" },
        { value: "name+stack", label: "Name + stack", needs: "stacks" },
        { value: "launch", label: "Launches" },
      ],
      stacks: true,
      foot: "Long names are shortened; hover to see the full name",
    });
    this.el = ctx.h("div", { class: "nbp-body" }, this.#charts.el, this.#table.el);
  }

  setInfo(info: TraceInfo): void {
    this.#table.setInfo(info);
  }

  get parts(): readonly Part[] {
    return [this.#charts, this.#table];
  }

  exports(): Exportable[] {
    return [this.#table.exported];
  }
}
