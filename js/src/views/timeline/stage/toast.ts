/** A short message over the lanes that disappears after a moment. */
import type { Context } from "../../../core/context";

/** Time that the message stays, ms. */
const STAYS = 2000;

export class Toast {
  readonly el: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly ctx: Context) {
    const look = { class: "nbp-popup nbp-tip nbp-tl-note", "aria-hidden": true, hidden: true };
    this.el = ctx.h("div", look);
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Show a message and announce it to screen readers. */
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
