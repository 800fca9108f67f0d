/** Creates a list of facts in two columns, and the title line above it. */
import type { Make } from "../../../../core/dom";

export type Fact = readonly [label: string, value: string];

/** The title line: colour, name and kind. */
export function nameLine(h: Make, color: string | null, name: string, what: string): HTMLElement {
  return h(
    "div",
    { class: "nbp-tl-name" },
    color && h("span", { class: "nbp-swatch", style: `--fill:${color}` }),
    h("b", { class: "nbp-mono" }, name),
    what && h("span", { class: "nbp-muted" }, what),
  );
}

/** Labels and values in two columns, the first half on the left. */
export function columns(h: Make, facts: readonly Fact[]): HTMLElement {
  const half = Math.ceil(facts.length / 2);
  const list = (part: readonly Fact[]) =>
    h(
      "dl",
      {},
      part.map(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]),
    );
  return h("div", { class: "nbp-tl-columns" }, list(facts.slice(0, half)), list(facts.slice(half)));
}
