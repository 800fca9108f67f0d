/** A segmented control: a row of buttons, one of which is pressed. */
import { fill, type Make, setAttributes } from "../core/dom";

interface Choice<T extends string> {
  value: T;
  label: string;
  /** Why the choice is disabled. */
  off?: string | undefined;
}

export class Segments<T extends string> {
  readonly el: HTMLElement;
  #buttons = new Map<T, HTMLButtonElement>();

  constructor(
    private readonly h: Make,
    label: string,
    private readonly choose: (value: T) => void,
  ) {
    this.el = h("span", { class: "nbp-segments", role: "group", "aria-label": label });
  }

  set(choices: readonly Choice<T>[], value: T): void {
    const { h } = this;
    const known = [...this.#buttons.keys()];
    if (known.length !== choices.length || choices.some((c, i) => c.value !== known[i])) {
      this.#buttons = new Map(
        choices.map((choice) => {
          const button = h("button", { type: "button" }, choice.label);
          h.on(button, { click: () => this.choose(choice.value) });
          return [choice.value, button];
        }),
      );
      fill(this.el, ...this.#buttons.values());
    }
    for (const { value: own, off } of choices) {
      const button = this.#buttons.get(own);
      if (!button) continue;
      button.disabled = off !== undefined && own !== value;
      setAttributes(button, { "aria-pressed": String(own === value), title: off });
    }
  }
}
