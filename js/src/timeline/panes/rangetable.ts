/** What a range of time over some lanes holds, by name; host and device apart. */
import { type Rows, readRows } from "../../arrow";
import type { Context } from "../../context";
import { fill } from "../../dom";
import { formatNumber, plural } from "../../format";
import { Loader } from "../../loader";
import type { Area, Timeline } from "../types";
import { params } from "./ask";
import { NamesTable } from "./namestable";
import { needsKernel } from "./off";
import { rangeText } from "./words";

/** Reply to `area`. Buffer 0 is a table `slice_summary`. */
interface Summary {
  slices: number;
  host: number;
  device: number;
  /** Colour slots of the names, by row, where there are any. */
  slots?: number[];
}

export class RangeTable {
  readonly el: HTMLElement;
  /** Slices in the range; null while that is not known. */
  slices: number | null = null;
  /** Called when `slices` is another. */
  onCount: () => void = () => {};

  #head: HTMLElement;
  #none: HTMLElement;
  #alone: HTMLElement;
  #host: NamesTable;
  #device: NamesTable;
  #loader: Loader;
  #area: Area | null = null;

  /** @param slot - newer questions of one slot replace older ones */
  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    slot: string,
  ) {
    const { h } = ctx;
    this.#head = h("div", { class: "nbp-label nbp-tl-rangehead" });
    this.#none = h("p", { class: "nbp-muted", hidden: true }, "No slice lies in this range.");
    this.#host = new NamesTable(ctx, timeline, "Host", "var(--c-cpu-exec)");
    this.#device = new NamesTable(ctx, timeline, "Device", "var(--c-kernel)");
    const content = h("div", {}, this.#head, this.#none, this.#host.el, this.#device.el);
    this.#loader = new Loader(ctx, `timeline:${slot}`, "the slices of the range", content);
    this.#alone = h("p", { class: "nbp-muted", hidden: true }, needsKernel("The table"));
    this.el = h("div", { "data-offline": true }, this.#alone, this.#loader.el);
  }

  /** Ask for what lies in an area, unless that was asked last; and draw what is there. */
  show(area: Area): void {
    this.#area = area;
    const { ctx, timeline } = this;
    const { start_ns, end_ns, lanes } = area;
    const asks = params(ctx, timeline, { start_ns, end_ns, lanes });
    const { connected } = ctx.session.router;
    this.#alone.hidden = connected || this.#loader.loaded;
    if (connected)
      this.#loader.need(
        JSON.stringify(asks),
        "",
        (options) => ctx.session.router.request<Summary>("area", asks, options),
        ({ result, buffers }) => this.#take(result, readRows(buffers[0] ?? new Uint8Array())),
      );
    this.#draw();
  }

  #take(summary: Summary, rows: Rows): void {
    const of = (side: string) =>
      Array.from({ length: rows.length }, (_, row) => row).filter(
        (row) => rows.get("side", row) === side,
      );
    const { host, device } = summary;
    this.#host.set(rows, of("host"), plural(host, "slice"), summary.slots);
    this.#device.set(rows, of("device"), plural(device, "slice"), summary.slots);
    this.#none.hidden = rows.length > 0;
    this.slices = summary.slices;
    this.#draw();
    this.onCount();
    this.ctx.announce(`${plural(summary.slices, "slice")} in the range`);
  }

  #draw(): void {
    const area = this.#area;
    if (!area) return;
    const wish = this.ctx.session.get("time_unit") ?? "auto";
    const all = this.timeline.state.layout?.lanes.length ?? 0;
    const some = area.lanes.length;
    const lanes =
      some && some < all ? `${formatNumber(some)} of ${plural(all, "lane")}` : "all lanes";
    fill(this.#head, `${rangeText(area, wish)} · ${lanes}. Times are what lies inside.`);
    this.#host.draw();
    this.#device.draw();
  }
}
