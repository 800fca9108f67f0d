/** `SearchField`: the field of a view that writes the trait `search` while one types. */
import type { Context } from "../core/context";

const DELAY = 250;

export class SearchField {
  readonly el: HTMLElement;
  #input: HTMLInputElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param words - what is searched, for screen readers
   */
  constructor(
    private readonly ctx: Context,
    words: string,
    placeholder: string,
  ) {
    const { h } = ctx;
    this.#input = h("input", {
      type: "text",
      placeholder,
      spellcheck: "false",
      "aria-label": words,
    });
    h.on(this.#input, {
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#write(), DELAY);
      },
      change: () => this.#write(),
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    const attributes = { class: "nbp-field", "data-kind": "search" };
    this.el = h("label", attributes, h("span", {}, "Search"), this.#input);
  }

  /** Show the trait, unless the user is typing. */
  update(): void {
    const search = (this.ctx.session.get("search") ?? "").trim();
    const { activeElement } = this.#input.getRootNode() as ShadowRoot | Document;
    if (activeElement !== this.#input) this.#input.value = search;
    this.el.toggleAttribute("data-on", search !== "");
  }

  #write(): void {
    clearTimeout(this.#timer);
    const search = this.#input.value.trim();
    if (search !== this.ctx.session.get("search")) this.ctx.session.set({ search });
  }
}
