/** The plot area of step bars: positions of bars and axes, as `nbprof/charts/steps/plane.py`; CSS px. */
import { formatNumber, type TimeUnit } from "../../../values/format";
import { roundTicks } from "../layout";
import { textWidth } from "../textwidth";

/** Below this width nothing is written beside the bars. */
export const NARROW = 500;

export interface Plane {
  height: number;
  high: number;
  ticks: number[];
  unit: TimeUnit;
  narrow: boolean;
  /** Left and right edge of the plot. */
  start: number;
  end: number;
  bottom: number;
  /** Distance between bars, and the width of one. */
  slot: number;
  bar: number;
  /** The number of steps per bar; more than 1 if steps are narrower than a pixel. */
  merged: number;
  /** The middle of a bar. */
  x(row: number): number;
  y(value: number): number;
}

/**
 * @param labels - the labels beside the bars; null for none, not even of the mean
 * @param size - height of the chart and room above the plot, where a legend needs some
 */
export function planeOf(
  width: number,
  count: number,
  highest: number,
  unit: TimeUnit,
  labels: readonly string[] | null = [],
  size?: { height: number; top: number },
): Plane {
  const narrow = width < NARROW;
  const ticks = roundTicks(highest);
  const high = Math.max(ticks.at(-1) ?? 1, highest);
  const mean = `mean ${formatNumber(highest, unit.decimals)}`;
  const left = Math.max(40, Math.max(...ticks.map((tick) => textWidth(tickText(tick, ticks)))) + 9);
  const beside = [mean, ...(labels ?? [])].map((text) => textWidth(text) + 10);
  const right = narrow || !labels ? 20 : Math.max(112, ...beside);
  const { height, top } = size ?? (narrow ? { height: 220, top: 34 } : { height: 300, top: 22 });
  const bottom = 36;
  const slot = (width - left - right) / Math.max(count, 1);
  return {
    height,
    high,
    ticks,
    unit,
    narrow,
    start: left,
    end: width - right,
    bottom,
    slot,
    bar: slot < 10 ? slot : Math.min(44, slot * (slot >= 24 ? 0.62 : 0.8)),
    merged: Math.ceil(1 / slot),
    x: (row) => left + (row + 0.5) * slot,
    y: (value) => height - bottom - (value / high) * (height - top - bottom),
  };
}

/** Format a tick with as many decimals as the ticks need. */
export function tickText(tick: number, ticks: readonly number[]): string {
  const step = (ticks[1] ?? 1) - (ticks[0] ?? 0);
  let decimals = 0;
  const isExact = (d: number) => Math.abs(step - Number(step.toFixed(d))) < 1e-6 * step;
  while (decimals < 9 && !isExact(decimals)) decimals += 1;
  return formatNumber(tick, tick ? decimals : 0);
}
