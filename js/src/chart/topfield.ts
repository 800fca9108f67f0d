/** The field for the number of slices of donuts: a number, or all; the rest is summed up. */

import type { Context } from "../core/context";
import { setAttributes } from "../core/dom";

/** The default number, as in Python. */
const TOP = 7;

/** The number of slices on screen; null for all. */
export function topOf({ session }: Pick<Context, "session">): number | null {
  const top = session.get("top");
  return top === undefined ? TOP : top;
}

export class TopField {
  readonly el: HTMLElement;
  #field: HTMLElement;
  #input: HTMLInputElement;
  #all: HTMLButtonElement;
  /** The number that is restored when "all" is switched off. */
  #last = TOP;

  constructor(private readonly ctx: Context) {
    const { h, session } = ctx;
    this.#input = h("input", {
      type: "text",
      inputmode: "numeric",
      "aria-label": "Number of slices",
      placeholder: "all",
    });
    this.#field = h("label", { class: "nbp-field", "data-kind": "count" });
    this.#field.append(h("span", {}, "Top"), this.#input);
    this.#all = h("button", { type: "button" }, "All");
    h.on(this.#all, {
      click: () => session.set({ top: topOf(ctx) === null ? this.#last : null }),
    });
    h.on(this.#input, {
      change: () => this.#read(),
      focus: () => this.#input.select(),
      keydown: (event) => this.#key(event),
    });
    const all = h("span", { class: "nbp-segments" }, this.#all);
    this.el = h("span", { class: "nbp-pair" }, this.#field, all);
  }

  update(): void {
    const top = topOf(this.ctx);
    if (top !== null) this.#last = top;
    this.#input.value = top === null ? "" : String(top);
    this.#all.setAttribute("aria-pressed", String(top === null));
    this.#markBroken(false);
  }

  #key(event: KeyboardEvent): void {
    const step = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    if (event.key === "Enter") this.#read();
    if (!step) return;
    event.preventDefault();
    this.ctx.session.set({ top: Math.max(1, (topOf(this.ctx) ?? this.#last) + step) });
  }

  #read(): void {
    const text = this.#input.value.trim();
    const top = /^(all)?$/i.test(text) ? null : Number(text);
    const broken = top !== null && !(Number.isSafeInteger(top) && top >= 1);
    this.#markBroken(broken);
    if (!broken && top !== topOf(this.ctx)) this.ctx.session.set({ top });
  }

  #markBroken(broken: boolean): void {
    this.#field.toggleAttribute("data-bad", broken);
    setAttributes(this.#input, { "aria-invalid": broken ? "true" : null });
    setAttributes(this.#field, { "data-tip": broken ? "Enter a whole number from 1." : null });
  }
}
