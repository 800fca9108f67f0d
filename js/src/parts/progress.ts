/** The thin progress bar at the top of the widget while Python works. */
import type { Make } from "../core/dom";

export class ProgressLine {
  readonly el: HTMLElement;
  #bar: HTMLElement;
  #working = 0;

  constructor(h: Make) {
    this.#bar = h("i");
    this.el = h("div", { class: "nbp-progress", hidden: true, "aria-hidden": "true" }, this.#bar);
  }

  begin(): void {
    this.#working += 1;
    this.el.hidden = false;
  }

  /** Show a progress from 0 to 1. */
  at(fraction: number): void {
    this.#bar.style.setProperty(
      "--done",
      `${Math.round(Math.min(Math.max(fraction, 0), 1) * 100)}%`,
    );
  }

  end(): void {
    this.#working = Math.max(0, this.#working - 1);
    if (this.#working > 0) return;
    this.el.hidden = true;
    this.#bar.style.removeProperty("--done");
  }
}
