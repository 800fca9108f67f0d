/** Numbers the fill colours of slices, so that slices of one colour can be filled together. */

import { CATEGORIES } from "../canvas/categories";
import { mixHex } from "../canvas/color";
import type { Palette } from "../canvas/palette";

const SLOTS = CATEGORIES.length;
const KERNELS = SLOTS + 10;
const BASES = KERNELS + 4;
const OPERATOR = CATEGORIES.indexOf("operator");
const MODULE = CATEGORIES.indexOf("module");
const KERNEL = CATEGORIES.indexOf("kernel");
const PYTHON = CATEGORIES.indexOf("python");

/** The full strength, three weaker ones for partly busy blocks, and one for dimmed slices. */
const STRENGTHS = [1, 0.8, 0.62, 0.45, 0.28] as const;
const DIMMED = STRENGTHS.length - 1;
export const FILLS = BASES * STRENGTHS.length;

interface Fills {
  colors: readonly string[];
  /** The colours of labels on these fills. */
  inks: readonly string[];
}

const kept = new WeakMap<Palette, Fills>();

export function fillsOf(palette: Palette): Fills {
  let fills = kept.get(palette);
  if (!fills) {
    const bases = [...palette.categories, ...palette.slots, ...palette.kernels];
    const kernelInk = palette.categoryInk[KERNEL] as string;
    const ink = (base: number) =>
      palette.categoryInk[base] ?? (base < KERNELS ? palette.slotInk : kernelInk);
    fills = {
      colors: bases.flatMap((base) => STRENGTHS.map((share) => mixHex(base, palette.bg, share))),
      inks: bases.flatMap((_, base) =>
        STRENGTHS.map((_, strength) => (strength === DIMMED ? palette.muted : ink(base))),
      ),
    };
    kept.set(palette, fills);
  }
  return fills;
}

/** The fill for a category, colour slot and lightness step; weak without a category. */
export function frameFill(category: number, slot: number, shade: number, dimmed: boolean): number {
  let base = category;
  if (category < 0) return PYTHON * STRENGTHS.length + (dimmed ? DIMMED : DIMMED - 1);
  if (category === OPERATOR || category === MODULE) base = SLOTS + slot;
  else if (category === KERNEL) base = KERNELS + shade;
  return base * STRENGTHS.length + (dimmed ? DIMMED : 0);
}

/** The fill in the colour of a category. */
export function categoryFill(category: number, dimmed: boolean): number {
  return category * STRENGTHS.length + (dimmed ? DIMMED : 0);
}

/** The fill of a block: that of a slice, weaker the less of it is busy. */
export function blockFill(fill: number, share: number): number {
  const strength =
    fill % STRENGTHS.length ? DIMMED : share > 0.75 ? 0 : share > 0.4 ? 1 : share > 0.15 ? 2 : 3;
  return fill - (fill % STRENGTHS.length) + strength;
}
