/** Memory over time, and who allocates and holds it. */
import type { Context, ExportEntry, Panel } from "../context";
import type { TraceInfo } from "../protocol";

export class MemoryPanel implements Panel {
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
