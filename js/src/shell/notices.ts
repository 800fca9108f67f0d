/** The notice that Python has rejected a value; it overlays the view, so that nothing moves. */
import type { Context } from "../core/context";
import { fill } from "../core/dom";
import { signal } from "../core/state/signals";
import { banner, button } from "../parts/states";

export class Notices {
  readonly el: HTMLElement;
  /** The notice that the user has closed. */
  #dismissed = signal<object | null>(null);

  constructor(private readonly ctx: Context) {
    this.el = ctx.h("div", { class: "nbp-notices", "aria-live": "polite" });
  }

  update(): void {
    const { h, session } = this.ctx;
    const { notice } = session;
    if (!notice || notice === this.#dismissed.value) {
      fill(this.el);
      return;
    }
    const hide = button(h, "Hide", () => {
      this.#dismissed.value = notice;
    });
    hide.dataset.offline = "";
    const words = h(
      "span",
      {},
      h("b", { class: "nbp-strong" }, "Not accepted. "),
      `${notice.message} ${notice.hint}`,
    );
    fill(this.el, banner(h, "var(--sev-high)", words, hide));
  }
}
