/** Creates the first cell of a row: the name, cut in the middle to fit, with its colour. */
import type { Context } from "../../core/context";
import { displayName, middleCut } from "../../values/names";
import { textMeasure } from "../../values/textwidth";

export interface NameCell {
  name: string;
  /** Colour slot of the name. */
  slot: number | undefined;
  /** Width of the cell, CSS px. */
  width: number;
  /** The button that opens lines under the row; its label is "Call stacks" by default. */
  twisty: { open: boolean; toggle: () => void; label?: string } | null;
  /** Indentation, CSS px. */
  indent?: number;
  /** Whether the name matches the search. */
  match?: boolean;
}

const PADDING = 20;
const SWATCH = 16;

export function nameCell(
  ctx: Context,
  { name, slot, width, twisty, indent = 0, match = false }: NameCell,
) {
  const { h, root } = ctx;
  const parts: HTMLElement[] = [];
  if (twisty) {
    const button = h(
      "button",
      {
        class: "nbp-twisty",
        type: "button",
        tabindex: -1,
        "aria-expanded": String(twisty.open),
        "aria-label": `${twisty.label ?? "Call stacks"} of ${name}`,
      },
      twisty.open ? "▾" : "▸",
    );
    parts.push(h.on(button, { click: twisty.toggle }));
  }
  if (slot !== undefined) {
    parts.push(h("span", { class: "nbp-swatch", style: `--fill:var(--o-${slot})` }));
  }
  const room = width - PADDING - indent - parts.length * SWATCH;
  const measure = textMeasure(`12px ${getComputedStyle(root).fontFamily || "sans-serif"}`);
  const shown = middleCut(displayName(name), (text) => measure(text) <= room);
  const cell = h("td");
  const cut = shown !== name;
  if (cut) cell.dataset.tip = `${name}\nCtrl+C copies the full name`;
  cell.append(
    h(
      "span",
      { class: "nbp-namecell", style: indent ? `padding-left:${indent}px` : null },
      parts,
      cut ? h("span", { class: "nbp-hidden-text" }, name) : null,
      h("span", { "aria-hidden": cut ? "true" : null, class: match ? "nbp-match" : null }, shown),
    ),
  );
  return cell;
}
