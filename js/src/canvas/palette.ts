/** The colours that canvases draw with, read from the CSS tokens of the theme. */

import type { Theme } from "../core/theme";
import { CATEGORIES, type Category } from "./categories";
import { inkOn, type Rgb, readColor, toHex } from "./color";

/** Colours as canvas takes them, read from the tokens of the theme. */
export interface Palette {
  theme: Theme;
  bg: string;
  fg: string;
  muted: string;
  line: string;
  lineStrong: string;
  grid: string;
  subtle: string;
  accent: string;
  accentSoft: string;
  /** A value for `ctx.font`: 11 px of the host's interface font. */
  font: string;
  /** Indexed by the code of the category. */
  categories: readonly string[];
  /** Ink for labels on these fills. */
  categoryInk: readonly string[];
  /** Ten colours for names, and the ink for labels on them. */
  slots: readonly string[];
  slotInk: string;
  /** Four lightness steps of the kernel colour. */
  kernels: readonly string[];
  curve: string;
}

/** Operators and modules are coloured by name; their blocks take the colour of the category. */
export const CATEGORY_TOKENS: Record<Category, string> = {
  operator: "var(--c-cpu-exec)",
  runtime: "var(--c-runtime)",
  annotation: grey(62),
  step: "var(--nbp-line-strong)",
  dataloader: "var(--c-dataloader)",
  python: "var(--c-other)",
  module: "color-mix(in srgb, var(--c-cpu-exec) 60%, var(--c-other))",
  kernel: "var(--c-kernel)",
  memcpy: "var(--c-memcpy)",
  memset: "var(--c-memset)",
  communication: "var(--c-communication)",
  sync: "var(--c-other)",
  device_annotation: grey(62),
  phase: "color-mix(in srgb, var(--c-runtime) 45%, var(--c-other))",
  task: "color-mix(in srgb, var(--c-kernel) 45%, var(--c-other))",
  computing: "var(--c-kernel)",
  communicating: "var(--c-communication)",
  free: "var(--nbp-line-strong)",
  library: "color-mix(in srgb, var(--c-other) 70%, var(--nbp-bg))",
  overhead: "var(--c-other)",
};

function grey(percent: number): string {
  return `color-mix(in srgb, var(--nbp-fg) ${percent}%, var(--nbp-bg))`;
}

/** Tokens that a host may change without switching between light and dark. */
const HOST_TOKENS = ["--nbp-bg", "--nbp-fg", "--nbp-accent", "--nbp-font", "--c-kernel"];

const palettes = new WeakMap<HTMLElement, { key: string; palette: Palette }>();

/**
 * Read the colours as `#rrggbb`, which every canvas accepts.
 *
 * Computing them is slow, so they are cached until the theme or the host's tokens change.
 */
export function readPalette(root: HTMLElement, theme: Theme): Palette {
  const style = getComputedStyle(root);
  const key = [theme, ...HOST_TOKENS.map((token) => style.getPropertyValue(token))].join("\n");
  const before = palettes.get(root);
  if (before?.key === key) return before.palette;
  const palette = resolve(root, theme);
  palettes.set(root, { key, palette });
  return palette;
}

function resolve(root: HTMLElement, theme: Theme): Palette {
  const probe = root.ownerDocument.createElement("span");
  probe.style.fontFamily = "var(--nbp-font)";
  probe.hidden = true;
  root.append(probe);
  try {
    const style = getComputedStyle(probe);
    const page: Rgb = theme === "dark" ? [17, 17, 17] : [255, 255, 255];
    const ink: Rgb = theme === "dark" ? [224, 224, 224] : [33, 33, 33];
    const read = (value: string, over: Rgb, fallback: Rgb): Rgb => {
      // An invalid value would leave the previous one in place, so clear it first.
      probe.style.color = "";
      probe.style.color = value;
      return readColor(style.color, over) ?? fallback;
    };
    const bg = read("var(--nbp-bg)", page, page);
    const over = (value: string) => read(value, bg, ink);
    const hex = (value: string) => toHex(over(value));
    const categories = CATEGORIES.map((category) => over(CATEGORY_TOKENS[category]));
    const slots = Array.from({ length: 10 }, (_, slot) => over(`var(--o-${slot})`));
    return {
      theme,
      bg: toHex(bg),
      fg: hex("var(--nbp-fg)"),
      muted: hex("var(--nbp-muted)"),
      line: hex("var(--nbp-line)"),
      lineStrong: hex("var(--nbp-line-strong)"),
      grid: hex("var(--nbp-grid)"),
      subtle: hex("var(--nbp-subtle)"),
      accent: hex("var(--nbp-accent)"),
      accentSoft: hex("var(--nbp-accent-soft)"),
      font: `11px ${style.fontFamily || "sans-serif"}`,
      categories: categories.map(toHex),
      categoryInk: categories.map(inkOn),
      slots: slots.map(toHex),
      slotInk: inkOn(slots[0] ?? ink),
      kernels: [0, 1, 2, 3].map((step) => hex(`var(--k-${step})`)),
      curve: hex("var(--c-curve)"),
    };
  } finally {
    probe.remove();
  }
}
