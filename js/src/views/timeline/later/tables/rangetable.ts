/** Tables of the slices in a selected range by name, one for the host and one for devices. */

import type { Context } from "../../../../core/context";
import { fill } from "../../../../core/dom";
import { Loader } from "../../../../core/loader";
import { sameValue } from "../../../../core/state/equality";
import { type Rows, readRows } from "../../../../values/arrow";
import { formatNumber, plural } from "../../../../values/format";
import { positionChoice } from "../../drawing/ticks";
import { needsPython } from "../../panes/disabled";
import { rangeText } from "../../panes/positiontext";
import type { Area, Timeline } from "../../state/types";
import { params } from "../slicedetails";
import { NamesTable } from "./namestable";

/** Reply to `area`. Buffer 0 is a table `slice_summary`. */
interface Summary {
  slices: number;
  host: number;
  device: number;
  /** The number of names, and the number in the table: those with the most time. */
  names?: number;
  rows?: number;
}

export class RangeTable {
  readonly el: HTMLElement;
  /** Called when `slices` changes. */
  onCount: () => void = () => {};

  #head: HTMLElement;
  #none: HTMLElement;
  #offlineNote: HTMLElement;
  #host: NamesTable;
  #device: NamesTable;
  #loader: Loader;
  /** The area of the tables, and the query that was sent. */
  #area: Area | null = null;
  #answered: unknown = null;
  #asked: unknown;
  #slices = 0;
  #cut = "";

  /** @param slot - newer requests of a slot replace older ones */
  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    slot: string,
  ) {
    const { h } = ctx;
    this.#head = h("div", { class: "nbp-label nbp-tl-rangehead" });
    this.#none = h("p", { class: "nbp-muted", hidden: true }, "There are no slices in this range.");
    // By self time: by total time, the outermost Python frames would come first.
    this.#host = new NamesTable(ctx, timeline, "Host", "var(--c-cpu-exec)", "self_us");
    this.#device = new NamesTable(ctx, timeline, "Device", "var(--c-kernel)", "total_us");
    const content = h("div", {}, this.#head, this.#none, this.#device.el, this.#host.el);
    this.#loader = new Loader(ctx, `timeline:${slot}`, "the slices of the range", content);
    this.#offlineNote = h(
      "p",
      { class: "nbp-muted", hidden: true },
      needsPython(ctx.session, "The table"),
    );
    this.el = h("div", { "data-offline": true }, this.#offlineNote, this.#loader.el);
  }

  /** The number of slices in the range; null while unknown. */
  get slices(): number | null {
    return sameValue(this.#asked, this.#answered) ? this.#slices : null;
  }

  /** Request the slices of an area, unless it was requested last, and draw the received ones. */
  show(area: Area): void {
    const { ctx, timeline } = this;
    const { start_ns, end_ns, lanes } = area;
    const asks = params(ctx, timeline, { start_ns, end_ns, lanes });
    const { connected } = ctx.session.router;
    const other = !connected && !sameValue(asks, this.#answered);
    this.#offlineNote.hidden = !other;
    this.#loader.el.hidden = other;
    this.#asked = asks;
    if (connected)
      this.#loader.need(
        asks,
        "",
        (asks, options) => ctx.session.router.request<Summary>("area", asks, options),
        ({ result, buffers }) => {
          this.#area = area;
          this.#answered = asks;
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
    const choice = positionChoice(this.ctx, this.timeline);
    const all = this.timeline.state.layout?.lanes.length ?? 0;
    const some = area.lanes.length;
    const lanes =
      some && some < all ? `${formatNumber(some)} of ${plural(all, "lane")}` : "all lanes";
    fill(
      this.#head,
      `${rangeText(area, choice)} · ${lanes}. Times count only inside the range.${this.#cut}`,
    );
    this.#host.draw();
    this.#device.draw();
  }
}
