/** Makes the labels of slices: shortens names and cuts their ends to fit the width. */

import { CATEGORIES } from "../canvas/categories";
import { displayName } from "../values/names";

/** Pixels left and right of a label. */
export const LABEL_MARGIN = 3;
/** Minimum width for a label, px. */
const LEAST_ROOM = 20;
/** Minimum length of a cut label, the ellipsis included. */
const LEAST_CHARACTERS = 4;
const MOST_KEPT = 20_000;
const PYTHON = CATEGORIES.indexOf("python");
const MODULE = CATEGORIES.indexOf("module");

/** Shorten a name: drop namespaces, `aten::`, arguments and paths. */
export function shortName(name: string, category: number): string {
  if (category === PYTHON) return name.replace(/^.*?\.py\(\d+\): /, "");
  if (category === MODULE) return name.replace(/^nn\.Module: /, "");
  const short = displayName(name)
    .replace(/^(?:[\w() ]+::)+/, "")
    .replace(/^enumerate\(DataLoader\)#/, "DataLoader ");
  return short || name;
}

interface Measured {
  text: string;
  /** Width of the first n characters. */
  widths: Float32Array;
  /** Cut labels by their number of characters. */
  cuts: Map<number, string>;
}

/**
 * Labels in one font.
 *
 * A width is the sum of the widths of its characters, each measured once, so thousands of names cost
 * no more than their alphabet. Kerning is ignored: it is less than a pixel per label.
 */
export class Labels {
  readonly #characters = new Map<string, number>();
  readonly #texts = new Map<string, Measured>();

  constructor(private readonly measure: (character: string) => number) {}

  /** The text that fits into a slice of this width in px; "" where none fits. */
  fit(name: string, category: number, room: number): string {
    if (room < LEAST_ROOM) return "";
    const measured = this.#measured(name, category);
    const { text, widths, cuts } = measured;
    const whole = text.length;
    if ((widths[whole] as number) <= room) return text;
    const left = room - this.#width("…");
    let low = 0;
    let high = whole - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((widths[middle] as number) <= left) low = middle;
      else high = middle - 1;
    }
    if (low + 1 < LEAST_CHARACTERS) return "";
    let cut = cuts.get(low);
    if (cut === undefined) {
      // Never cut a surrogate pair in half.
      const end = /[\uD800-\uDBFF]/.test(text.charAt(low - 1)) ? low - 1 : low;
      cut = `${text.slice(0, end).trimEnd()}…`;
      cuts.set(low, cut);
    }
    return cut;
  }

  #measured(name: string, category: number): Measured {
    const key = category === PYTHON || category === MODULE ? `${category} ${name}` : name;
    let measured = this.#texts.get(key);
    if (measured) return measured;
    // A million events may have a million names; only the start of a name is ever visible.
    const text = shortName(name, category).slice(0, 200);
    const widths = new Float32Array(text.length + 1);
    let sum = 0;
    for (let at = 0; at < text.length; ) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
      sum += this.#width(character);
      for (const end = at + character.length; at < end; at += 1) widths[at + 1] = sum;
    }
    measured = { text, widths, cuts: new Map() };
    if (this.#texts.size >= MOST_KEPT) this.#texts.clear();
    this.#texts.set(key, measured);
    return measured;
  }

  #width(character: string): number {
    let width = this.#characters.get(character);
    if (width === undefined) {
      width = this.measure(character);
      this.#characters.set(character, width);
    }
    return width;
  }
}

const byFont = new Map<string, Labels>();

/** The labels of a canvas' font; `ctx.font` is left set to it. */
export function labelsOf(ctx: CanvasRenderingContext2D, font: string): Labels {
  ctx.font = font;
  let labels = byFont.get(font);
  if (!labels) {
    labels = new Labels((character) => {
      ctx.font = font;
      return ctx.measureText(character).width;
    });
    byFont.set(font, labels);
  }
  return labels;
}
