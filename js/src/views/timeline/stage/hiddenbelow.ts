/** A button at the lower edge of the lanes that says how many are hidden below it. */
import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import { formatNumber, plural } from "../../../values/format";
import type { Arranger } from "../state/lanes/arranger";
import { GROUP_HEIGHT, type Member } from "../state/lanes/placement";

/** Largest number of names; further ones are counted. */
const MOST_NAMES = 4;

export class HiddenBelow {
  readonly el: HTMLButtonElement;
  #top = 0;

  constructor(
    private readonly ctx: Context,
    private readonly lanes: Arranger,
    /** Return the focus to the lanes, since the button may disappear. */
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
    const end = scrollTop + size.height;
    this.el.hidden = !rows.goesOn(end);
    if (this.el.hidden) return;
    const seen = end - GROUP_HEIGHT; // the button covers what is below
    const members = rows.membersBelow(seen);
    const groups = rows.groupsBelow(seen);
    const [next] = groups;
    const below = members[0] ? members[0].y - GROUP_HEIGHT : (next?.y ?? 0);
    this.#top = below - rows.held(size.height);
    const names = groups.slice(0, MOST_NAMES).map(({ group }) => group.label);
    if (members.length) names.unshift(plural(members.length, `more ${nounOf(members)}`));
    const more = groups.length - MOST_NAMES;
    const rest = more > 0 ? `and ${formatNumber(more)} more below` : "below";
    const words = `↓ ${names.join(", ")}`;
    if (this.el.dataset.words === `${words} ${rest}`) return;
    this.el.dataset.words = `${words} ${rest}`;
    const { h } = this.ctx;
    fill(this.el, words, " ", h("span", { class: "nbp-label" }, rest));
  }
}

/** "thread" or "stream" if all are of that kind; otherwise "lane", for curves too. */
function nounOf(members: readonly Member[]): string {
  const kinds = new Set(members.map((item) => (item.type === "lane" ? item.lane.kind : "module")));
  const [kind = "module"] = kinds;
  return kinds.size > 1 || kind === "module" ? "lane" : kind;
}
