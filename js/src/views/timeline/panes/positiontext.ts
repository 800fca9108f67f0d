/** Formats times, ranges and blocks of slices for the panes of the timeline. */
import { CATEGORY_WORDS } from "../../../canvas/categories";
import { lengthText, plural, type UnitChoice } from "../../../values/format";
import { formatSpan, positionUnit, tickText } from "../drawing/ticks";
import type { Hit, View } from "../state/types";

const MICROSECOND = 1e3;

/**
 * Format a position in the trace: "431.169 ms".
 *
 * @param window_ns - length of the window on screen, which decides the number of decimals
 */
export function positionText(ns: number, window_ns: number, choice: UnitChoice): string {
  const unit = positionUnit(10 * MICROSECOND, choice);
  const step = Math.min(MICROSECOND, Math.max(1, window_ns / 1e3));
  return `${tickText(ns, step, unit)} ${unit.label}`;
}

/** Format a window in the unit of the ruler: "425.600 to 431.600 ms (6.000 ms)". */
export function rangeText({ start_ns, end_ns }: View, choice: UnitChoice): string {
  const length = end_ns - start_ns;
  const unit = positionUnit(length, choice);
  const text = (ns: number) => tickText(ns, Math.max(1, length / 1e3), unit);
  return `${text(start_ns)} to ${text(end_ns)} ${unit.label} (${formatSpan(length)})`;
}

/** Describe a block: number of slices, their total time, and the category with the most of it. */
export function blockWords(
  { count, busy_ns, category }: Hit,
  choice: UnitChoice,
): [count: string, busy: string, mostly: string] {
  const { one, many = `${one}s` } = CATEGORY_WORDS[category ?? "operator"];
  const mostly = category ? `mostly ${many}` : "";
  return [plural(count, "slice"), `${lengthText(busy_ns, choice)} busy`, mostly];
}

/** Whether zooming splits a block; slices without length at one instant always stay one. */
export function canZoomInto({ span }: Hit): boolean {
  return span !== null && span.end_ns > span.start_ns;
}

export const ONE_INSTANT = "all at the same time";
