/** What the flame graph shows, as a table. */
import type { Context } from "../context";
import { fill, setAttributes } from "../dom";
import { formatNumber, formatPercent, type UnitWish } from "../format";
import { link } from "../states";
import type { Frames } from "./frames";
import { kindText, sizeText, WIDTHS } from "./words";

const MOST = 100;

export class FrameTable {
  readonly el: HTMLElement;
  /** Shows and hides it. */
  readonly toggle: HTMLButtonElement;
  #open = false;
  #shown: Frames | null = null;
  #wish: UnitWish = "auto";

  constructor(private readonly ctx: Context) {
    const { h, id } = ctx;
    this.toggle = link(h, "View as table", () => this.#turn());
    this.el = h("section", { id: `${id}-flame-table`, class: "nbp-flame-table", hidden: true });
    const controls = { "aria-expanded": "false", "aria-controls": this.el.id };
    setAttributes(this.toggle, { ...controls, "data-offline": true });
  }

  update(frames: Frames, wish: UnitWish): void {
    if (frames === this.#shown && wish === this.#wish) return;
    this.#shown = frames;
    this.#wish = wish;
    if (this.#open) this.#draw();
  }

  #turn(): void {
    this.#open = !this.#open;
    this.el.hidden = !this.#open;
    this.toggle.textContent = this.#open ? "Hide the table" : "View as table";
    setAttributes(this.toggle, { "aria-expanded": String(this.#open) });
    if (this.#open) this.#draw();
  }

  #draw(): void {
    const { h } = this.ctx;
    const { all, info } = this.#shown ?? { all: [], info: null };
    if (!info) return;
    const frames = all.filter((frame) => frame.count === 1).sort((a, b) => b.value - a.value);
    const heads = ["Frame", "Kind", "Depth", "Calls", WIDTHS[info.by], "Own", "% of all"];
    const cells = frames
      .slice(0, MOST)
      .map((frame) => [
        frame.name,
        kindText(frame),
        formatNumber(frame.depth + 1),
        formatNumber(frame.calls),
        sizeText(frame.value, info.by, this.#wish),
        sizeText(frame.own, info.by, this.#wish),
        formatPercent((100 * frame.value) / info.total),
      ]);
    const number = (at: number) => (at > 1 ? "nbp-num" : null);
    const row = (tag: "th" | "td", texts: string[]) =>
      h(
        "tr",
        {},
        texts.map((text, at) => h(tag, { class: number(at) }, text)),
      );
    const widths = ["", "120px", "64px", "64px", "104px", "88px", "72px"];
    const label = frames.length > MOST ? `The ${MOST} widest frames on screen` : "Frames on screen";
    fill(
      this.el,
      h("h3", {}, label),
      h(
        "div",
        { class: "nbp-frame", tabindex: 0, role: "region", "aria-label": label },
        h(
          "table",
          { "aria-label": label, style: "min-width:680px" },
          h(
            "colgroup",
            {},
            widths.map((width) => h("col", { style: width && `width:${width}` })),
          ),
          h("thead", {}, row("th", heads)),
          h(
            "tbody",
            {},
            cells.map((texts) => row("td", texts)),
          ),
        ),
      ),
    );
  }
}
