/** What a range of time over some lanes holds, by name; host and device apart. */

import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import { Loader } from "../../../core/loader";
import { type Rows, readRows } from "../../../values/arrow";
import { formatNumber, plural } from "../../../values/format";
import { positionWish } from "../drawing/ticks";
import type { Area, Timeline } from "../state/types";
import { params } from "./ask";
import { NamesTable } from "./namestable";
import { needsPython } from "./off";
import { rangeText } from "./words";

/** Reply to `area`. Buffer 0 is a table `slice_summary`. */
interface Summary {
  slices: number;
  host: number;
  device: number;
  /** How many names there are, and how many of them the table holds: those with the most time. */
  names?: number;
  rows?: number;
}

export class RangeTable {
  readonly el: HTMLElement;
  /** Called when `slices` is another. */
  onCount: () => void = () => {};

  #head: HTMLElement;
  #none: HTMLElement;
  #alone: HTMLElement;
  #host: NamesTable;
  #device: NamesTable;
  #loader: Loader;
  /** What the tables are of: the area, and the question as it was asked. */
  #area: Area | null = null;
  #answered = "";
  #asked = "";
  #slices = 0;
  #cut = "";

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
    this.#alone = h(
      "p",
      { class: "nbp-muted", hidden: true },
      needsPython(ctx.session, "The table"),
    );
    this.el = h("div", { "data-offline": true }, this.#alone, this.#loader.el);
  }

  /** Slices in the range; null while that is not known. */
  get slices(): number | null {
    return this.#asked === this.#answered ? this.#slices : null;
  }

  /** Ask for what lies in an area, unless that was asked last; and draw what is there. */
  show(area: Area): void {
    const { ctx, timeline } = this;
    const { start_ns, end_ns, lanes } = area;
    const asks = params(ctx, timeline, { start_ns, end_ns, lanes });
    const key = JSON.stringify(asks);
    const { connected } = ctx.session.router;
    const other = !connected && key !== this.#answered;
    this.#alone.hidden = !other;
    this.#loader.el.hidden = other;
    this.#asked = key;
    if (connected)
      this.#loader.need(
        key,
        "",
        (options) => ctx.session.router.request<Summary>("area", asks, options),
        ({ result, buffers }) => {
          this.#area = area;
          this.#answered = key;
          this.#take(result, readRows(buffers[0] ?? new Uint8Array()));
        },
      );
    this.#draw();
  }

  #take(summary: Summary, rows: Rows): void {
    const of = (side: string) =>
      Array.from({ length: rows.length }, (_, row) => row).filter(
        (row) => rows.get("side", row) === side,
      );
    const { host, device } = summary;
    this.#host.set(rows, of("host"), plural(host, "slice"));
    this.#device.set(rows, of("device"), plural(device, "slice"));
    this.#none.hidden = rows.length > 0;
    this.#slices = summary.slices;
    const { names = 0, rows: shown = names } = summary;
    this.#cut =
      shown < names
        ? ` The ${formatNumber(shown)} of ${plural(names, "name")} with the most time.`
        : "";
    this.#draw();
    this.onCount();
    this.ctx.announce(`${plural(summary.slices, "slice")} in the range`);
  }

  #draw(): void {
    const area = this.#area;
    if (!area) return;
    const wish = positionWish(this.ctx, this.timeline);
    const all = this.timeline.state.layout?.lanes.length ?? 0;
    const some = area.lanes.length;
    const lanes =
      some && some < all ? `${formatNumber(some)} of ${plural(all, "lane")}` : "all lanes";
    fill(
      this.#head,
      `${rangeText(area, wish)} · ${lanes}. Times are what lies inside.${this.#cut}`,
    );
    this.#host.draw();
    this.#device.draw();
  }
}
