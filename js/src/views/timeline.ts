/** The timeline of a trace. */
import type { Context, ExportEntry, Panel } from "../context";
import type { TraceInfo } from "../protocol";

export class TimelinePanel implements Panel {
  readonly el: HTMLElement;

  constructor(ctx: Context) {
    this.el = ctx.h("div", { class: "nbp-body" });
  }

  setInfo(_info: TraceInfo): void {}

  update(): void {}

  exports(): ExportEntry[] {
    return [];
  }
}
