/** `RangeField`: an input for a range of two numbers, from and to. */

import { type Make, setAttributes } from "../core/dom";
import { sameValue } from "../core/state/equality";

type Range = [first: number, last: number];

export class RangeField {
  readonly el: HTMLElement;
  #first: HTMLInputElement;
  #last: HTMLInputElement;
  #bounds: Range | null = null;
  #value: Range | null = null;
  /** The room for label and unit. */
  #around: number;
  /** The width of the field, CSS px; it depends on the bounds, not on the typed text. */
  width: number;

  constructor(
    h: Make,
    label: string,
    unit: string,
    private readonly choose: (range: Range | null) => void,
    /** Characters after the whole number that a range may have, while its bounds have none. */
    private readonly fraction = 0,
  ) {
    this.#around = label.length * 7 + (unit ? 66 : 42);
    this.width = this.#around;
    const words = unit ? `${label}, ${unit}` : label;
    const input = (end: string) =>
      h("input", { type: "text", inputmode: "decimal", "aria-label": `${words}, ${end}` });
    this.#first = input("first");
    this.#last = input("last");
    this.el = h(
      "span",
      { class: "nbp-field", "data-kind": "range", role: "group", "aria-label": words },
      h("span", {}, label),
      this.#first,
      h("span", { class: "nbp-to" }, "to"),
      this.#last,
      unit ? h("span", { class: "nbp-unit" }, unit) : null,
    );
    for (const field of [this.#first, this.#last]) {
      h.on(field, {
        change: () => this.#read(),
        keydown: (event) => event.key === "Enter" && this.#read(),
      });
    }
  }

  /** Show a range; without one, the bounds are shown muted. */
  set(value: Range | null, bounds: Range | null): void {
    this.#value = value;
    this.#bounds = bounds;
    this.el.toggleAttribute("data-on", value !== null);
    this.#markBroken(false); // the text is replaced below
    const fields: [HTMLInputElement, number | undefined, number | undefined][] = [
      [this.#first, value?.[0], bounds?.[0]],
      [this.#last, value?.[1], bounds?.[1]],
    ];
    for (const [field, own, bound] of fields) {
      field.value = own === undefined ? "" : plain(own);
      setAttributes(field, { placeholder: bound === undefined ? "" : plain(bound) });
    }
    const digits = Math.max(2, ...(bounds ?? []).map((bound) => plain(bound).length));
    this.width = this.#around + 2 * Math.min(79, (digits + this.fraction) * 7 + 16);
    this.el.style.width = `${this.width}px`;
  }

  #read(): void {
    const range = readRange(this.#first.value, this.#last.value, this.#bounds);
    this.#markBroken(range === undefined);
    if (range === undefined || sameValue(range, this.#value)) return;
    this.choose(range);
  }

  #markBroken(broken: boolean): void {
    this.el.toggleAttribute("data-bad", broken);
    setAttributes(this.el, {
      "data-tip": broken ? "Enter a number at both ends of the range." : null,
    });
    for (const field of [this.#first, this.#last]) {
      setAttributes(field, { "aria-invalid": broken ? "true" : null });
    }
  }
}

/** Parse a range: null for an empty field, undefined if invalid. An open end takes the bound. */
export function readRange(
  first: string,
  last: string,
  bounds: Range | null,
): Range | null | undefined {
  const texts = [first.trim(), last.trim()];
  if (texts.every((text) => text === "")) return null;
  const [low = Number.NaN, high = Number.NaN] = texts.map((text, end) =>
    text === "" ? bounds?.[end] : Number(text.replaceAll(",", "")),
  );
  if (!Number.isFinite(high - low)) return undefined;
  return low <= high ? [low, high] : [high, low];
}

function plain(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
