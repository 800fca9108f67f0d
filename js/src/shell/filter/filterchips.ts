/** The chips of the active filter, in one line beside the tabs; those without room are in a menu. */
import type { Context } from "../../core/context";
import { fill, setAttributes } from "../../core/dom";
import type { Filter, TraceInfo } from "../../core/protocol/protocol";
import type { ReadonlySignal } from "../../core/state/signals";
import { plural } from "../../values/format";
import { chips } from "./filtertext";

/** The room that a chip should have, and that the tabs and the facts take, CSS px. */
const CHIP = 110;
const TAB = 78;
const FACTS = 280;

export class FilterChips {
  readonly el: HTMLElement;

  constructor(
    private readonly ctx: Context,
    private readonly info: ReadonlySignal<TraceInfo | null>,
    private readonly removed: () => void,
  ) {
    this.el = ctx.h("div", { class: "nbp-chips", hidden: true });
  }

  update(): void {
    const { h, session, popup } = this.ctx;
    const filter = session.get("filter") ?? {};
    const all = chips(filter, this.info.value).map((chip) => this.#chip(chip.field, chip.text));
    const fits = this.#room(all.length);
    const over = all.slice(fits);
    const more = h(
      "button",
      { class: "nbp-chip nbp-morechips", type: "button" },
      `+ ${over.length}`,
    );
    const label = `${plural(over.length, "more filter")}`;
    setAttributes(more, { "aria-haspopup": "true", "aria-expanded": "false", "aria-label": label });
    h.on(more, {
      click: () => popup.toggleMenu(more, "Filters", h("div", { class: "nbp-chiplist" }, over)),
    });
    this.el.hidden = all.length === 0;
    fill(this.el, all.slice(0, fits), over.length ? more : null);
    setAttributes(this.el, { role: "group", "aria-label": plural(all.length, "active filter") });
  }

  /** How many chips have room; all of them before the width is known. */
  #room(count: number): number {
    const room = this.ctx.room();
    if (room === 0) return count;
    const width = this.ctx.width();
    const tabs = width === "narrow" ? 0 : TAB * this.ctx.session.views.length;
    const free = room - tabs - (width === "wide" ? FACTS : 0);
    const most = Math.max(1, Math.floor(free / CHIP));
    return count <= most ? count : Math.max(1, most - 1);
  }

  #chip(field: keyof Filter, text: string): HTMLElement {
    const { h, session, announce, popup } = this.ctx;
    const remove = h("button", { type: "button", "aria-label": `Remove filter ${text}` }, "×");
    h.on(remove, {
      click: () => {
        popup.closeMenu();
        session.setFilter({ [field]: null });
        announce(`Filter removed: ${text}`);
        this.removed();
      },
    });
    const filter = session.get("filter") ?? {};
    const full = field === "name" || field === "within" ? filter[field] : undefined;
    const look = { class: "nbp-chip", "data-tip": full ?? text, "data-needs": `filter:${field}` };
    return h("span", look, h("span", {}, text), remove);
  }
}
