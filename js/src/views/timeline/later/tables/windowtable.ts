/** The table view: the content of the canvas as tables, for screen readers and copying. */

import { CATEGORY_WORDS } from "../../../../canvas/categories";
import type { Context } from "../../../../core/context";
import { fill, setAttributes } from "../../../../core/dom";
import { sameValue } from "../../../../core/state/equality";
import { link } from "../../../../parts/states";
import type { Area, Timeline } from "../../state/types";
import { factsOf } from "../slice/facts";
import { RangeTable } from "./rangetable";

/** Time without a change after which the tables follow the window, ms. */
const DELAY = 300;

export class AsTable {
  /** The tables. */
  readonly el: HTMLElement;
  /** The button that shows and hides the tables. */
  readonly toggle: HTMLButtonElement;
  #range: RangeTable;
  #slice: HTMLElement;
  #open = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #shown: unknown;
  #drawn: unknown;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    const { h, id } = ctx;
    this.toggle = link(h, "View as table", () => this.#turn());
    setAttributes(this.toggle, {
      "aria-expanded": "false",
      "aria-controls": `${id}-tl-table`,
      "data-offline": true,
    });
    this.#range = new RangeTable(ctx, timeline, "table");
    this.#slice = h("div", { hidden: true });
    this.el = h(
      "section",
      {
        class: "nbp-tl-astable",
        id: `${id}-tl-table`,
        tabindex: -1,
        "aria-label": "Slices in the window, as a table",
        hidden: true,
      },
      h("h3", {}, "Slices in the window"),
      this.#range.el,
      this.#slice,
    );
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  update(): void {
    if (!this.#open) return;
    this.#drawSlice();
    const area = this.#area();
    const shown = [area, this.ctx.session.state, this.ctx.session.get("time_unit")];
    if (sameValue(shown, this.#shown)) return;
    this.#shown = shown;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#range.show(area), DELAY);
  }

  #turn(): void {
    this.#open = !this.#open;
    this.el.hidden = !this.#open;
    this.toggle.textContent = this.#open ? "Hide the table" : "View as table";
    setAttributes(this.toggle, { "aria-expanded": String(this.#open) });
    if (!this.#open) return;
    this.#shown = undefined;
    this.update();
    this.el.focus();
  }

  /** The area of the window over all shown lanes. */
  #area(): Area {
    const { layout, view, hidden } = this.timeline.state;
    const lanes = (layout?.lanes ?? []).map(({ key }) => key).filter((key) => !hidden.has(key));
    const all = lanes.length === (layout?.lanes.length ?? 0);
    return { start_ns: view.start_ns, end_ns: view.end_ns, lanes: all ? [] : lanes };
  }

  #drawSlice(): void {
    const { h } = this.ctx;
    const { selected, details } = this.timeline.state;
    const facts = selected ? factsOf(this.ctx, this.timeline, selected) : [];
    const known = selected && details?.slice === selected.slice ? details : null;
    const named = known
      ? [
          ["Name", known.name],
          ["Kind", CATEGORY_WORDS[known.category].one],
          ["Lane", this.#laneLabel(known.lane)],
        ]
      : [];
    const rows = [...named, ...facts];
    if (sameValue(rows, this.#drawn)) return;
    this.#drawn = rows;
    this.#slice.hidden = rows.length === 0;
    fill(
      this.#slice,
      h("h3", {}, "Selected slice"),
      h(
        "div",
        { class: "nbp-frame" },
        h(
          "table",
          { "aria-label": "Selected slice" },
          h("colgroup", {}, h("col", { style: "width:160px" }), h("col")),
          h(
            "tbody",
            {},
            rows.map(([label, value]) =>
              h("tr", {}, h("th", { scope: "row" }, label), h("td", {}, value)),
            ),
          ),
        ),
      ),
    );
  }

  #laneLabel(key: string): string {
    const lane = this.timeline.state.layout?.lanes.find((other) => other.key === key);
    return lane ? [lane.label, lane.detail].filter(Boolean).join(", ") : key;
  }
}
