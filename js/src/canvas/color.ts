/** Colour arithmetic on RGB values: parse computed colours, blend, mix and compare contrast. */

export type Rgb = readonly [red: number, green: number, blue: number];

const DARK_INK = "#111111";
const LIGHT_INK = "#ffffff";

/**
 * Read a computed colour and lay it over a background.
 *
 * Browsers report `rgb(…)`, or `color(srgb …)` for `color-mix`, which not every canvas accepts.
 * Null for any other format.
 */
export function readColor(text: string, over: Rgb): Rgb | null {
  const hex = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text.trim());
  if (hex) return [hex[1], hex[2], hex[3]].map((part) => Number.parseInt(part ?? "", 16)) as never;
  const match = /^(rgba?|color)\(\s*(srgb\s)?([^)]+)\)$/.exec(text.trim());
  if (!match || (match[1] === "color") !== (match[2] !== undefined)) return null;
  const parts = (match[3] ?? "").split(/[\s,/]+/).filter(Boolean);
  const values = parts.map((part) => (part === "none" ? 0 : Number.parseFloat(part)));
  const [red, green, blue] = values;
  if (red === undefined || green === undefined || blue === undefined) return null;
  if (!values.every(Number.isFinite)) return null;
  const alpha = (values[3] ?? 1) / (parts[3]?.endsWith("%") ? 100 : 1);
  const full = match[2] ? 255 : 1;
  return mix([red * full, green * full, blue * full], over, alpha);
}

/** Mix two colours: `share` of the first, the rest of the second. */
function mix(front: Rgb, back: Rgb, share: number): Rgb {
  const at = (part: 0 | 1 | 2) => front[part] * share + back[part] * (1 - share);
  return [at(0), at(1), at(2)];
}

export function toHex(color: Rgb): string {
  const parts = color.map((part) => Math.round(Math.min(255, Math.max(0, part))));
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

/** Mix two colours that are written as `#rrggbb`. */
export function mixHex(front: string, back: string, share: number): string {
  const white: Rgb = [255, 255, 255];
  return toHex(mix(readColor(front, white) ?? white, readColor(back, white) ?? white, share));
}

function luminance(color: Rgb): number {
  const linear = color.map((part) => {
    const share = part / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * (linear[0] ?? 0) + 0.7152 * (linear[1] ?? 0) + 0.0722 * (linear[2] ?? 0);
}

/** Contrast ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** Return the ink, dark or light, with the higher contrast on a fill. */
export function inkOn(fill: Rgb): string {
  const light = contrast([255, 255, 255], fill);
  return light > contrast([17, 17, 17], fill) ? LIGHT_INK : DARK_INK;
}
