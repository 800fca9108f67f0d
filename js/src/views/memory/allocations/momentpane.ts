/** `MomentPane`: what the device held at the moment of the cursor: segments, holders, one block. */
import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import type { Blocks, Segments as SegmentState } from "../../../core/protocol/protocol";
import { Segments } from "../../../parts/segments";
import { formatNumber, type UnitChoice } from "../../../values/format";
import { detailsOf } from "./details";
import { holderList } from "./holders";
import { SegmentMap } from "./segmentmap";
import { sizesText, stateText, timeText } from "./words";

export type Jump = "oom" | "peak" | "end";

export class MomentPane {
  /** The title and the moments to go to. */
  readonly head: HTMLElement;
  readonly el: HTMLElement;
  readonly map: SegmentMap;
  #title: HTMLElement;
  #jumps: Segments<string>;
  #words: HTMLElement;
  #holders: HTMLElement;
  #details: HTMLElement;

  constructor(
    private readonly ctx: Context,
    go: (to: Jump) => void,
    choose: (block: number) => void,
  ) {
    const { h } = ctx;
    this.map = new SegmentMap(ctx, choose);
    this.#title = h("h3");
    this.#jumps = new Segments(h, "Moment", (to) => go(to as Jump));
    this.#words = h("p", { class: "nbp-foot nbp-alloc-facts" });
    this.#holders = h("div", { class: "nbp-alloc-holders" });
    this.#details = h("div", { class: "nbp-alloc-details", hidden: true });
    this.head = h(
      "div",
      { class: "nbp-head nbp-alloc-second" },
      this.#title,
      h("span", { class: "nbp-gap" }),
      this.#jumps.el,
    );
    this.el = h("div", {}, this.#details, this.map.el, this.#words, this.#holders);
  }

  show(info: Blocks, state: SegmentState, unit: UnitChoice): void {
    const { h } = this.ctx;
    const count = `${formatNumber(state.moment)} of ${formatNumber(state.last)}`;
    const event = state.event ? `after event ${count}: ${state.event}` : "before the first event";
    const about = state.moment === state.last ? "the state of the snapshot" : event;
    fill(this.#title, `Segments at ${timeText(state.time_us, unit)}`, h("small", {}, about));
    const [before, after] = [state.peak_before, state.peak_after].map(
      (peak) => `${sizesText(peak.bytes, peak.requested)} at ${timeText(peak.time_us, unit)}`,
    );
    this.#words.textContent = `${stateText(state)} Peak up to here: ${before}; from here on: ${after}.`;
    const oom = info.ooms.length ? [{ value: "oom", label: "Out of memory" }] : [];
    this.#jumps.set(
      [...oom, { value: "peak", label: "Peak" }, { value: "end", label: "Snapshot" }],
      jumpOf(info, state),
    );
    const { holders, categories, in_use } = state;
    const lists = [holderList(h, "Held by frame", holders, in_use, state.others ?? 0)];
    if (categories.length) lists.push(holderList(h, "Held by category", categories, in_use, 0));
    fill(this.#holders, lists);
    const { selected } = state;
    this.#details.hidden = selected === null;
    if (selected) fill(this.#details, detailsOf(h, selected, unit));
  }
}

function jumpOf(info: Blocks, { moment, last }: SegmentState): string {
  if (info.ooms.some((oom) => oom.moment === moment)) return "oom";
  if (moment === info.peak.moment) return "peak";
  return moment === last ? "end" : "";
}
