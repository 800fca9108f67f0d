/** The field of the name filter, which suggests names that exist. */
import type { Context } from "../../core/context";
import { setAttributes } from "../../core/dom";
import type { Suggestions } from "../../tools/suggestions";
import { exactNames } from "../../values/names";

const DELAY = 400;

export class NameField {
  readonly el: HTMLElement;
  readonly input: HTMLInputElement;
  /** The name filter that was typed; it is shown as typed. */
  #typed: string | undefined;
  /** The text of the filter in the field; setting an equal text changes nothing. */
  #shown = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #list: Suggestions | null = null;

  /** @param list - loads the list of names, unless it is there */
  constructor(
    private readonly ctx: Context,
    list: () => Promise<Suggestions | null>,
  ) {
    const { h } = ctx;
    this.input = h("input", {
      type: "text",
      placeholder: "contains, or /regex/",
      spellcheck: "false",
      autocomplete: "off",
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": "false",
    });
    const label = h("span", {}, "Name");
    this.el = h("label", { class: "nbp-field", "data-kind": "name" }, label, this.input);
    h.on(this.input, {
      focus: () => {
        this.input.select();
        void list().then((found) => {
          this.#list = found;
        });
      },
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.set(), DELAY);
        this.#list?.follow();
      },
      change: () => this.set(),
      blur: () => this.#list?.close(),
      keydown: (event) => {
        if (this.#list?.key(event)) return;
        if (event.key === "Enter") this.set();
      },
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Show a name filter: one exact name as the name, several as their number, others as patterns. */
  update(name: string | undefined): void {
    this.el.toggleAttribute("data-on", name !== undefined);
    if (this.#isFocused && name !== undefined) return;
    if (this.#isFocused && this.input.value !== this.#shown) return;
    const exact = name === undefined || name === this.#typed ? null : exactNames(name);
    this.#shown = exact?.length === 1 ? (exact[0] ?? "") : exact ? "" : (name ?? "");
    this.input.value = this.#shown;
    this.input.placeholder =
      exact && exact.length > 1 ? `${exact.length} names` : "contains, or /regex/";
    this.#markBroken(false);
  }

  /** Filter by what was typed. */
  set(): void {
    clearTimeout(this.#timer);
    const name = this.input.value.trim();
    const same = name === this.#shown.trim();
    const broken = !same && name.length > 2 && name.startsWith("/") && !isPattern(name);
    this.#markBroken(broken);
    if (broken || same) return;
    this.#shown = name;
    this.#typed = name;
    this.ctx.session.setFilter({ name: name || null });
  }

  /** Filter by exactly one of the names that exist, or by none. */
  choose(name: string, pattern: string): void {
    clearTimeout(this.#timer);
    this.#typed = undefined;
    this.#shown = name;
    this.input.value = name;
    this.#markBroken(false);
    this.ctx.session.setFilter({ name: pattern || null });
  }

  #markBroken(broken: boolean): void {
    this.el.toggleAttribute("data-bad", broken);
    setAttributes(this.input, { "aria-invalid": broken ? "true" : null });
    const words = "End the regular expression with / and close its brackets.";
    setAttributes(this.el, { "data-tip": broken ? words : null });
  }

  get #isFocused(): boolean {
    return (this.input.getRootNode() as ShadowRoot | Document).activeElement === this.input;
  }
}

/** Whether Python will most likely accept the pattern; Python decides. */
function isPattern(text: string): boolean {
  if (!text.endsWith("/")) return false;
  try {
    RegExp(text.slice(1, -1));
    return true;
  } catch {
    return /\(\?|\\Q/.test(text); // RE2 has syntax that the browser does not
  }
}
