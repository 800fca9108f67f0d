/** Texts about frames of the flame graph: tooltips, sizes and totals. */
import { CATEGORIES, CATEGORY_WORDS } from "../canvas/categories";
import {
  formatBytes,
  formatNumber,
  formatPercent,
  lengthText,
  plural,
  type UnitChoice,
} from "../values/format";
import type { FlameInfo, Frame } from "./frames";

export const WIDTHS: Record<FlameInfo["by"], string> = {
  host: "Host time",
  device: "Device time",
  bytes: "Bytes allocated",
  time: "Time",
};

function sizeText(value: number, by: FlameInfo["by"], choice: UnitChoice): string {
  return by === "bytes" ? formatBytes(value) : lengthText(Math.round(value * 1e3), choice);
}

/** "254.5 ms device time", "31.80 GiB allocated". */
export function totalText({ total, by }: FlameInfo, choice: UnitChoice): string {
  const what = by === "bytes" ? "allocated" : WIDTHS[by].toLowerCase();
  return `${sizeText(total, by, choice)} ${what}`;
}

/** The lines of a frame's tooltip, its name first. */
export function frameText(frame: Frame, info: FlameInfo, choice: UnitChoice): string[] {
  const { value, own, calls, count, name, kind } = frame;
  const size = sizeText(value, info.by, choice);
  const share = `${formatPercent((100 * value) / info.total)} % of all`;
  if (count > 1) return [`${formatNumber(count)} narrow frames`, `${size}, ${share}`, "zoom in"];
  const words = [`${size}, ${share}`];
  if (own > 0) words.push(`${sizeText(own, info.by, choice)} of its own`);
  if (calls > 0) words.push(plural(calls, "call"));
  const category = CATEGORIES[kind];
  return [name || "(no name)", ...(category ? [CATEGORY_WORDS[category].one] : []), ...words];
}
