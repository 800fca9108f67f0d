/** The native scroll bar of the lanes beside the canvas; the wheel over the canvas scrolls the page. */
import type { Context } from "../../../core/context";
import type { Arranger } from "../state/lanes/arranger";

export const SCROLLER_WIDTH = 12;

export class Scroller {
  readonly el: HTMLElement;
  #inside: HTMLElement;
  #set = 0;

  constructor(
    { h }: Context,
    private readonly lanes: Arranger,
  ) {
    this.#inside = h("div", { style: "width:1px" });
    this.el = h(
      "div",
      { class: "nbp-tl-scroll", tabindex: 0, role: "region", "aria-label": "Scroll the lanes" },
      this.#inside,
    );
    h.on(this.el, { scroll: () => this.#scrolled() });
  }

  update(): void {
    const { rows, size, scrollTop } = this.lanes;
    this.el.hidden = rows.height <= size.height;
    if (this.el.hidden) return;
    this.#inside.style.height = `${rows.height}px`;
    if (this.#set === scrollTop) return;
    this.#set = scrollTop;
    this.el.scrollTop = scrollTop;
  }

  /** Handle a scroll event; those that follow from setting the position are ignored. */
  #scrolled(): void {
    const top = Math.round(this.el.scrollTop);
    if (top === this.#set) return;
    this.#set = top;
    this.lanes.scrollTo(top);
  }
}
