/** The selection bar over the lower edge of a view: what is selected, and buttons to use it. */

import type { Context } from "../core/context";
import { selectedNames, useOf } from "../core/state/selecting";
import { button } from "../parts/states";
import { hasTimeline, showInTimeline } from "../table/links/slices";

export class SelectionBar {
  #bar: HTMLElement;
  #said: HTMLElement;
  #use: HTMLButtonElement;
  #show: HTMLButtonElement;

  constructor(
    private readonly ctx: Context,
    line: HTMLElement,
  ) {
    const { h, session } = ctx;
    this.#said = h("span");
    this.#use = button(h, "", () => this.#run(), "primary");
    this.#use.dataset.tip = "Make the selection the filter [Enter]";
    this.#show = button(h, "Show in timeline", () => showInTimeline(ctx, selectedNames(session)));
    this.#show.dataset.needs = "search";
    this.#show.dataset.tip = "Mark the slices of what is selected in the timeline [T]";
    const clear = button(h, "×", () => session.set({ selection: [] }), "quiet");
    clear.setAttribute("aria-label", "Clear the selection");
    clear.dataset.tip = "Clear the selection [Esc]";
    clear.dataset.offline = "";
    this.#bar = h(
      "div",
      { class: "nbp-selection", role: "group", "aria-label": "Selection", hidden: true },
      this.#said,
      this.#use,
      this.#show,
      clear,
    );
    line.append(this.#bar);
  }

  update(): void {
    const { session } = this.ctx;
    const use = useOf(session);
    const timeline = hasTimeline(session) && !session.view.shows.includes("slices");
    this.#bar.hidden = use === null;
    if (!use) return;
    this.#said.textContent = `Selected: ${use.said}`;
    this.#use.textContent = use.label;
    this.#use.hidden = use.done;
    if (use.field) this.#use.dataset.needs = `filter:${use.field}`;
    else this.#use.dataset.needs = "profile";
    this.#show.hidden = use.field !== "name" || !timeline;
  }

  #run(): void {
    const use = useOf(this.ctx.session);
    if (use && !use.done) this.ctx.announce(use.run());
  }
}
