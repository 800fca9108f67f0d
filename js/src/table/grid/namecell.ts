/** Creates the first cell of a row: the name as it fits, with its colour. */
import type { Context } from "../../core/context";
import { shortNames } from "../../values/names";
import { textMeasure } from "../../values/textwidth";

export interface NameCell {
  name: string;
  /** The name as it fits, where it was shortened together with those of other rows. */
  shown?: string | undefined;
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

/** Characters below which a name is not cut further. */
const LEAST = 12;
const PADDING = 20;
const SWATCH = 16;

/** Return a function that gives the width of a text in a cell, CSS px. */
export function cellMeasure({ root }: Context): (text: string) => number {
  return textMeasure(`12px ${getComputedStyle(root).fontFamily || "sans-serif"}`);
}

/** Width of the other elements in a name cell, CSS px. */
export function besideName({ slot, twisty, indent = 0 }: Partial<NameCell>): number {
  return PADDING + indent + (twisty ? SWATCH : 0) + (slot === undefined ? 0 : SWATCH);
}

export function nameCell(ctx: Context, given: NameCell): HTMLTableCellElement {
  const { name, slot, twisty, indent = 0, match = false } = given;
  const { h } = ctx;
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
  const [shown = name] = given.shown === undefined ? fitted(ctx, given) : [given.shown];
  const cut = shown !== name;
  // Names fit, unless there was no room for the least that stays of them.
  const cell = h("td", { class: cut && shown.length < LEAST ? "nbp-clip" : null });
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

function fitted(ctx: Context, given: NameCell): string[] {
  const measure = cellMeasure(ctx);
  const room = given.width - besideName(given);
  return shortNames([given.name], (text) => measure(text) <= room);
}
