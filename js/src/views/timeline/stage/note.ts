/** A few words over the lanes that go away again, as of a key that leads nowhere now. */
import type { Context } from "../../../core/context";

/** How long they stand, ms. */
const STAYS = 2000;

export class Note {
  readonly el: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Context) {
    const look = { class: "nbp-popup nbp-tip nbp-tl-note", "aria-hidden": true, hidden: true };
    this.el = ctx.h("div", look);
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Show them, and let screen readers say them. */
  say(text: string): void {
    this.ctx.announce(text);
    this.el.textContent = text;
    this.el.hidden = false;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.el.hidden = true;
    }, STAYS);
  }
}
