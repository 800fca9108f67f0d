/** At the lower edge of the lanes which groups are out of sight there, so that none is missed. */
import type { Context } from "../context";
import { fill } from "../dom";
import { formatNumber } from "../format";
import type { Arranger } from "./arranger";

/** More are counted. */
const MOST_NAMES = 4;

export class Below {
  readonly el: HTMLButtonElement;
  #top = 0;

  constructor(
    private readonly ctx: Context,
    private readonly lanes: Arranger,
    /** Give the keys back to the lanes, since the button may be gone. */
    focus: () => void,
  ) {
    const { h } = ctx;
    const look = { class: "nbp-tl-below", type: "button", "data-offline": true };
    this.el = h.on(h("button", look), {
      click: () => {
        lanes.scrollTo(this.#top);
        focus();
      },
    });
  }

  update(): void {
    const { rows, size, scrollTop } = this.lanes;
    const groups = rows.groupsBelow(scrollTop + size.height);
    const [next] = groups;
    this.el.hidden = !next;
    if (!next) return;
    this.#top = next.y;
    const names = groups.slice(0, MOST_NAMES).map(({ group }) => group.label);
    const more = groups.length - names.length;
    const rest = more ? `and ${formatNumber(more)} more below` : "below";
    const words = `↓ ${names.join(", ")}`;
    if (this.el.dataset.words === `${words} ${rest}`) return;
    this.el.dataset.words = `${words} ${rest}`;
    const { h } = this.ctx;
    fill(this.el, words, " ", h("span", { class: "nbp-label" }, rest));
  }
}
