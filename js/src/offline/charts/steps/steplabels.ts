/** Writes the labels of a step chart: step numbers, totals, the mean, and names beside the last bar. */

import { formatNumber, type TimeUnit } from "../../../values/format";
import { highest, labelEvery, spread } from "../layout";
import { INK, type Sheet } from "../sheet";
import { textWidth } from "../textwidth";
import type { Bars } from "./bars";
import type { Plane } from "./stepplane";

/** CSS px: distance between the labels beside the last bar. */
const PITCH = 13;
/** Largest number of steps at which bars show their total. */
const TOTALS = 24;
/** CSS px from a total within which the line of the mean would run through it. */
const CLOSE = 8;
/** Least share of the last bar for a labelled segment, %. */
const LEAST = 1;

/** Write the numbers of the steps below the bars, every nth if they are close. */
export function writeSteps(sheet: Sheet, numbers: readonly number[], plane: Plane): void {
  const widest = textWidth(String(highest(numbers)));
  const every = labelEvery(numbers.length, plane.slot, widest + 8);
  const running = numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1);
  numbers.forEach((number, at) => {
    if ((running ? number : at) % every === 0)
      sheet.text(plane.x(at), plane.y(0) + 11, String(number), { align: "middle" });
  });
}

/** Draw a dashed line across all bars, which stops where it would run through a total. */
export function drawMean(sheet: Sheet, y: number, plane: Plane, taken: readonly Taken[]): void {
  let at = plane.start;
  const draw = (end: number) => {
    const ends = [at, end].map((x): [number, number] => [x, y]);
    if (end > at) sheet.line(ends, INK.foreground, { "stroke-dasharray": "3 3" });
  };
  for (const [left, right, middle] of taken) {
    if (Math.abs(middle - y) >= CLOSE) continue;
    draw(left);
    at = right;
  }
  draw(plane.end);
}

/** The left and right end of a text, and its middle. */
type Taken = [left: number, right: number, y: number];

/** Write each bar's total above it, if all fit; return their positions. */
export function writeTotals(sheet: Sheet, { totals, muted = [] }: Bars, plane: Plane): Taken[] {
  const written = totals.map((value) => formatNumber(value, plane.unit.decimals));
  const widest = highest(written.map((text) => textWidth(text)));
  if (totals.length > TOTALS || widest + 4 > plane.slot) return [];
  return written.map((text, at): Taken => {
    const color = muted[at] ? INK.muted : INK.foreground;
    const look = { align: "middle", color, over: true } as const;
    const [x, y, half] = [plane.x(at), plane.y(totals[at] ?? 0) - 9, textWidth(text) / 2 + 2];
    sheet.text(x, y, text, look);
    return [x - half, x + half, y];
  });
}

export const meanText = (mean: number, unit: TimeUnit) =>
  `mean ${formatNumber(mean, unit.decimals)}`;

/** Label the segments of the last bar, and the mean, without overlaps. */
export function writeSegments(
  sheet: Sheet,
  { totals, parts, mean, unit }: Bars,
  plane: Plane,
): void {
  const last = totals.length - 1;
  const whole = totals[last] ?? 0;
  const wanted: { at: number; text: string; color: string; start: number }[] = [];
  const edge = plane.x(last) + plane.bar / 2 + 2;
  let base = 0;
  for (const { title, values } of parts) {
    const value = values[last] ?? 0;
    if (value > 0 && 100 * value >= LEAST * whole)
      wanted.push({ at: base + value / 2, text: title, color: INK.muted, start: edge });
    base += value;
  }
  const text = mean === null ? "" : meanText(mean, unit);
  if (mean !== null) wanted.push({ at: mean, text, color: INK.foreground, start: plane.end });
  wanted.sort((a, b) => a.at - b.at);
  const up = (value: number) => plane.y(0) - plane.y(value);
  const heights = wanted.map(({ at }) => up(at));
  const places = spread(heights, PITCH, -plane.bottom / 2, up(plane.high) + 8);
  wanted.forEach(({ at, text: words, color, start }, index) => {
    const y = plane.y(0) - (places[index] ?? 0);
    const leader: [number, number][] = [
      [start, plane.y(at)],
      [plane.end + 4, y],
    ];
    sheet.line(leader, INK.line);
    sheet.text(plane.end + 7, y, words, { color });
  });
}
