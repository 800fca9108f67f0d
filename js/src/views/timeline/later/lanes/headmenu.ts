/** The menu of one lane, curve or group, and the button that opens it on its head. */
import type { Context } from "../../../../core/context";
import { setAttributes } from "../../../../core/dom";
import { keyOf } from "../../stage/gutter";
import { isGroup } from "../../state/lanes/placement";
import type { Placed, Timeline } from "../../state/types";
import type { HeadDrag } from "./headdrag";
import { type Heads, nameOf } from "./heads";

interface Entry {
  label: string;
  key: string;
  off?: boolean;
  act(): void;
}

export class HeadMenu {
  #dots: HTMLButtonElement;
  #head: HTMLElement | null = null;
  #frame = 0;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    private readonly heads: Heads,
    private readonly drag: HeadDrag,
  ) {
    const { h, signal } = ctx;
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame), { once: true });
    const look = { class: "nbp-tl-dots", type: "button", tabindex: -1, hidden: true };
    this.#dots = h("button", { ...look, "aria-haspopup": "true", "aria-expanded": "false" }, "⋯");
    h.on(this.#dots, {
      click: () => this.#open(),
      // The menu returns the focus to its button, which passes it on to the head.
      focus: () => this.#head?.focus({ preventScroll: true }),
    });
    heads.el.append(this.#dots);
    h.on(heads.el, {
      pointerover: (event) => this.#hover(event.target),
      pointerleave: () => this.#hover(null),
      focusin: (event) => this.#put(heads.headOf(event.target) ?? this.#head),
      contextmenu: (event) => {
        const head = heads.headOf(event.target);
        if (!head) return;
        event.preventDefault();
        this.#put(head);
        this.#open();
      },
      click: (event) => {
        // Lanes that cannot be collapsed have no other action.
        const head = heads.headOf(event.target);
        if (!head || head.hasAttribute("aria-expanded")) return;
        this.#put(head);
        this.#open();
      },
    });
  }

  /** Follow the head when lanes scroll or go. */
  update(): void {
    if (!this.#head) return;
    cancelAnimationFrame(this.#frame); // heads are placed with the next frame
    this.#frame = requestAnimationFrame(() => {
      const head = this.#head?.isConnected && !this.drag.dragging ? this.#head : null;
      this.#put(head);
    });
  }

  get #isOpen(): boolean {
    return this.#dots.getAttribute("aria-expanded") === "true";
  }

  #hover(target: EventTarget | null): void {
    if (this.#isOpen || target === this.#dots || this.drag.dragging) return;
    this.#put(this.heads.headOf(target));
  }

  #put(head: HTMLElement | null): void {
    this.#head = head;
    this.#dots.hidden = !head;
    if (!head) return;
    const item = this.heads.itemOf(head);
    setAttributes(this.#dots, { "aria-label": item ? `Menu of ${nameOf(item)}` : null });
    this.#dots.style.top = head.style.top;
  }

  #open(): void {
    const item = this.heads.itemOf(this.#head);
    if (!item) return;
    const { popup, h } = this.ctx;
    const items = this.#entries(item).map(({ label, key, off, act }) => {
      const made = h("button", { type: "button", disabled: off });
      made.append(h("span", {}, label), h("kbd", { "aria-hidden": "true" }, key));
      return h.on(made, {
        click: () => {
          popup.closeMenu();
          act();
        },
      });
    });
    popup.toggleMenu(
      this.#dots,
      nameOf(item),
      h("div", { class: "nbp-tl-headmenu", "data-offline": true }, items),
    );
  }

  #entries(item: Placed): Entry[] {
    const { timeline, heads } = this;
    const key = keyOf(item);
    const keys = heads.siblingsOf(item).map(keyOf);
    const at = keys.indexOf(key);
    const entries: Entry[] = [];
    if (this.#head?.hasAttribute("aria-expanded")) {
      const closed = item.type !== "track" && item.collapsed;
      const [label, arrow] = closed ? ["Expand", "→"] : ["Collapse", "←"];
      entries.push({ label, key: arrow, act: () => timeline.lanes.toggleCollapsed(key) });
    }
    if (item.type !== "group" && !isGroup(item)) {
      const pinned = timeline.state.pinned.includes(key);
      const label = pinned ? "Unpin" : "Pin to the top";
      entries.push({ label, key: "P", act: () => heads.togglePinned(item) });
    }
    if (!(item.pinned && item.type === "group")) {
      entries.push({ label: "Hide", key: "H", act: () => heads.hide(item) });
      const up = { label: "Move up", key: "Alt+↑", off: at <= 0 };
      const down = { label: "Move down", key: "Alt+↓", off: at === keys.length - 1 };
      entries.push({ ...up, act: () => heads.step(item, -1) });
      entries.push({ ...down, act: () => heads.step(item, 1) });
    }
    if (item.type !== "group") {
      entries.push({ label: "Taller", key: "+", act: () => heads.grow(item, 1) });
      entries.push({ label: "Lower", key: "−", act: () => heads.grow(item, -1) });
      const off = timeline.state.heights[key] === undefined;
      const act = () => timeline.lanes.resize(key, null);
      entries.push({ label: "Usual height", key: "", off, act });
    }
    return entries;
  }
}
