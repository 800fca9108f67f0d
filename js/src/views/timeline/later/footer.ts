/** The footer of the timeline: key hints, notes on what is left out and kept, the toggle of the table view. */
import type { Context } from "../../../core/context";
import type { Timeline } from "../state/types";
import { KeptCount } from "./keptcount";
import { AsTable } from "./tables/windowtable";

export class Foot {
  readonly el: HTMLElement;
  #table: AsTable;
  #badge: HTMLElement;
  #kept: KeptCount;

  constructor(
    ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h } = ctx;
    const key = (text: string) => h("kbd", {}, text);
    const command = /Mac|iPhone|iPad/.test(navigator.platform ?? "") ? "⌘" : "Ctrl";
    this.#table = new AsTable(ctx, timeline);
    this.#kept = new KeptCount(ctx, timeline);
    this.#badge = h("span", { class: "nbp-tl-badge", role: "note", hidden: true });
    this.el = h(
      "div",
      {},
      h(
        "div",
        { class: "nbp-foot nbp-tl-foot" },
        this.#badge,
        this.#kept.el,
        h(
          "span",
          { class: "nbp-keys" },
          key(command),
          "+wheel zoom · drag pan · ",
          ["W", "A", "S", "D"].map((name) => key(name)),
          " move",
        ),
        h("span", { class: "nbp-keys" }, "Shift+drag selects a range"),
        this.#table.toggle,
      ),
      this.#table.el,
    );
  }

  update(): void {
    const { leftOut } = this.timeline.state;
    if (this.#badge.textContent !== leftOut) this.#badge.textContent = leftOut;
    this.#badge.hidden = leftOut === "";
    this.#kept.update();
    this.#table.update();
  }
}
