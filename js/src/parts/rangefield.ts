/** `RangeField`: an input for a range of two numbers, from and to. */

import { type Make, setAttributes } from "../core/dom";
import { sameValue } from "../core/state/equality";

type Range = [first: number, last: number];

export class RangeField {
  readonly el: HTMLElement;
  #ends: HTMLInputElement[];
  #bounds: Range | null = null;
  #value: Range | null = null;
  /** The room for label and unit. */
  #around: number;
  /** The width of the field, CSS px; it depends on the bounds, not on the typed text. */
  width = 0;

  constructor(
    h: Make,
    label: string,
    unit: string,
    private readonly choose: (range: Range | null) => void,
    /** Characters after the whole number that a range may have, while its bounds have none. */
    private readonly fraction = 0,
  ) {
    this.#around = label.length * 7 + (unit ? 66 : 42);
    const words = unit ? `${label}, ${unit}` : label;
    this.#ends = ["first", "last"].map((end) =>
      h("input", { type: "text", inputmode: "decimal", "aria-label": `${words}, ${end}` }),
    );
    this.el = h(
      "span",
      { class: "nbp-field", "data-kind": "range", role: "group", "aria-label": words },
      h("span", {}, label),
      this.#ends[0],
      h("span", { class: "nbp-to" }, "to"),
      this.#ends[1],
      unit ? h("span", { class: "nbp-unit" }, unit) : null,
    );
    for (const field of this.#ends) {
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
    for (const [end, field] of this.#ends.entries()) {
      field.value = plain(value?.[end]);
      setAttributes(field, { placeholder: plain(bounds?.[end]) });
    }
    const digits = Math.max(2, ...(bounds ?? []).map((bound) => plain(bound).length));
    this.width = this.#around + 2 * Math.min(79, (digits + this.fraction) * 7 + 16);
    this.el.style.width = `${this.width}px`;
  }

  #read(): void {
    const [first = "", last = ""] = this.#ends.map((field) => field.value);
    const range = readRange(first, last, this.#bounds);
    this.#markBroken(range === undefined);
    if (range === undefined || sameValue(range, this.#value)) return;
    this.choose(range);
  }

  #markBroken(broken: boolean): void {
    this.el.toggleAttribute("data-bad", broken);
    setAttributes(this.el, {
      "data-tip": broken ? "Enter a number at both ends of the range." : null,
    });
    for (const field of this.#ends) {
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

function plain(value: number | undefined): string {
  return value === undefined ? "" : String(Math.round(value * 1000) / 1000);
}
