/** Draws the time of every step as stacked bars, from kernels at the bottom to idle. */

import { categoryColor } from "../../chart/categorycolor";
import type { Drawing } from "../../chart/drawing";
import type { Rows } from "../../values/arrow";
import { chooseTimeUnit, formatNumber, type TimeUnit, type UnitWish } from "../../values/format";
import { labelEvery, spread } from "./layout";
import { type Box, drawLegend, fillBoxes, legendHeight } from "./legend";
import { INK, round, Sheet } from "./sheet";
import { type Plane, planeOf, tickText } from "./stepplane";
import { textWidth } from "./textwidth";

const CATEGORIES: [key: string, title: string][] = [
  ["kernel", "Kernel"],
  ["memcpy", "Memcpy"],
  ["memset", "Memset"],
  ["communication", "Communication"],
  ["runtime", "Runtime"],
  ["dataloader", "DataLoader"],
  ["cpu_exec", "CPU Exec"],
  ["other", "Other"],
];
/** The category that is hatched, which marks idle time independent of colour. */
const HATCHED = "other";
/** CSS px: distance between labels beside the last bar; distance of bars that get an outline. */
const PITCH = 13;
const OUTLINED = 4;
/** Largest number of steps at which bars show their total; at which each can be pointed at. */
const TOTALS = 24;
const POINTED = 600;
/** Least share of the last bar for a labelled segment, %. */
const LEAST = 1;

export interface Part {
  title: string;
  color: string;
  /** Whether it is the remainder or idle. */
  hatched: boolean;
  values: number[];
}

interface Bars {
  numbers: number[];
  totals: number[];
  parts: Part[];
  complete: boolean[];
  unit: TimeUnit;
  /** Whether parts stand on each other, so that a bar is their sum, or side by side. */
  stacked: boolean;
  mean: number | null;
}

export function drawSteps(
  rows: Rows,
  look: { width: number; unit: UnitWish; mean?: boolean },
): Drawing {
  const bars = read(rows, look.unit);
  if (look.mean === false) bars.mean = null;
  return drawBars(bars, look.width, "steps");
}

/**
 * @param source - name of the source whose rows a click selects
 * @param named - whether a legend names the parts where there is no room beside the bars
 */
export function drawBars(bars: Bars, width: number, source: string, named = false): Drawing {
  const { numbers, totals, unit, parts, stacked } = bars;
  const labels = stacked ? parts.map(({ title }) => title) : null;
  const plane = planeOf(width, numbers.length, highest(totals), unit, labels);
  const below = named && (plane.narrow || !stacked) ? legendHeight(parts, width) : 0;
  const sheet = new Sheet(width, plane.height + below);
  if (below) drawLegend(sheet, parts, plane.height);
  axes(sheet, plane);
  if (!numbers.length) {
    sheet.text((plane.start + plane.end) / 2, plane.y(plane.high / 2), "No steps", {
      align: "middle",
    });
    return sheet.drawing();
  }
  if (stacked) drawStacked(sheet, bars, plane);
  else drawBeside(sheet, bars, plane);
  writeSteps(sheet, numbers, plane);
  if (bars.mean !== null) {
    const y = plane.y(bars.mean);
    const ends: [number, number][] = [
      [plane.start, y],
      [plane.end, y],
    ];
    sheet.line(ends, INK.foreground, { "stroke-dasharray": "3 3" });
  }
  if (stacked) writeTotals(sheet, totals, plane);
  if (stacked && !plane.narrow) writeSegments(sheet, bars, plane);
  else if (bars.mean !== null) {
    const at = { align: "end", color: INK.foreground } as const;
    sheet.text(plane.end, 7, meanText(bars.mean, unit), at);
  }
  points(sheet, bars, plane, source);
  return sheet.drawing();
}

function read(rows: Rows, wish: UnitWish): Bars {
  const all = Array.from({ length: rows.length }, (_, row) => row);
  const unit = chooseTimeUnit(
    all.map((row) => rows.number("total_us", row)),
    wish,
  );
  const times = (name: string) =>
    all.map((row) => (rows.number(`${name}_us`, row) ?? 0) / unit.divisor);
  const totals = times("total");
  const complete = all.map((row) => rows.get("complete", row) !== false);
  const averaged = complete.some(Boolean) ? totals.filter((_, row) => complete[row]) : totals;
  const sum = averaged.reduce((whole, one) => whole + one, 0);
  return {
    numbers: all.map((row) => rows.number("step", row) ?? 0),
    totals,
    parts: CATEGORIES.map(([key, title]) => ({
      title,
      color: categoryColor(title),
      hatched: key === HATCHED,
      values: times(key),
    })).filter(({ values }) => values.some(Boolean)),
    complete,
    unit,
    stacked: true,
    mean: averaged.length ? sum / averaged.length : null,
  };
}

export const highest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

/** Draw base line, grid, ticks, the unit above and the title below. */
function axes(sheet: Sheet, plane: Plane): void {
  for (const tick of plane.ticks) {
    const y = plane.y(tick);
    const ends: [number, number][] = [
      [plane.start, y],
      [plane.end, y],
    ];
    sheet.line(ends, tick === 0 ? INK.line : INK.grid);
    sheet.text(plane.start - 6, y, tickText(tick, plane.ticks), { align: "end" });
  }
  sheet.text(0, 7, plane.unit.label);
  const merged = plane.merged > 1 ? ` (drawn: the slowest of every ${plane.merged})` : "";
  const middle = (plane.start + plane.end) / 2;
  sheet.text(middle, plane.height - 8, `Step${merged}`, { align: "middle" });
}

/** Draw one path per part: the number of elements does not grow with the steps. */
function drawStacked(sheet: Sheet, { totals, parts }: Bars, plane: Plane): void {
  const shown = slowest(totals, plane.merged);
  const below = new Float64Array(totals.length);
  // Adjacent bars must not blur at their edges.
  const stroke: Record<string, string> =
    plane.slot >= OUTLINED ? { stroke: INK.background } : { "shape-rendering": "crispEdges" };
  for (const part of parts) {
    const boxes = shown.flatMap((row, place): Box[] => {
      const base = below[row] ?? 0;
      const value = part.values[row] ?? 0;
      below[row] = base + value;
      const [top, bottom] = [plane.y(base + value), plane.y(base)];
      if (bottom - top < 0.01) return [];
      const [left, right] = sides(plane, row, place);
      return [[left, top, right - left, bottom - top]];
    });
    fillBoxes(sheet, part, boxes, stroke);
  }
}

/** Draw the parts of a bar side by side, within the width of a stacked one. */
function drawBeside(sheet: Sheet, { numbers, parts }: Bars, plane: Plane): void {
  const thick = plane.bar / parts.length;
  const outlined = plane.slot > 10 * parts.length;
  const look: Record<string, string> = outlined ? { stroke: INK.background } : {};
  parts.forEach((part, at) => {
    const boxes = numbers.flatMap((_, row): Box[] => {
      const [top, bottom] = [plane.y(part.values[row] ?? 0), plane.y(0)];
      const left = plane.x(row) - plane.bar / 2 + at * thick;
      return bottom - top < 0.01 ? [] : [[left, top, thick, bottom - top]];
    });
    fillBoxes(sheet, part, boxes, look);
  });
}

/** Left and right side of a bar; adjacent bars meet on whole pixels. */
function sides(plane: Plane, row: number, place: number): [number, number] {
  const middle = plane.x(row);
  if (plane.slot >= OUTLINED) return [middle - plane.bar / 2, middle + plane.bar / 2];
  const edge = (at: number) => Math.round(plane.start + at * plane.merged * plane.slot);
  return [edge(place), Math.min(edge(place + 1), Math.round(plane.end))];
}

/** The slowest step of each pixel, where steps are narrower than a pixel. */
function slowest(totals: readonly number[], group: number): number[] {
  const found: number[] = [];
  for (let start = 0; start < totals.length; start += group) {
    let best = start;
    for (let row = start; row < Math.min(start + group, totals.length); row += 1)
      if ((totals[row] ?? 0) > (totals[best] ?? 0)) best = row;
    found.push(best);
  }
  return found;
}

function writeSteps(sheet: Sheet, numbers: readonly number[], plane: Plane): void {
  const widest = textWidth(String(highest(numbers)));
  const every = labelEvery(numbers.length, plane.slot, widest + 8);
  const running = numbers.every((number, at) => at === 0 || number === (numbers[at - 1] ?? 0) + 1);
  numbers.forEach((number, at) => {
    if ((running ? number : at) % every === 0)
      sheet.text(plane.x(at), plane.y(0) + 11, String(number), { align: "middle" });
  });
}

/** Write each bar's total above it, over the line of the mean, if all fit. */
function writeTotals(sheet: Sheet, totals: readonly number[], plane: Plane): void {
  const written = totals.map((value) => formatNumber(value, plane.unit.decimals));
  const widest = highest(written.map((text) => textWidth(text)));
  if (totals.length > TOTALS || widest + 4 > plane.slot) return;
  const look = { align: "middle", color: INK.foreground, over: true } as const;
  written.forEach((text, at) => {
    sheet.text(plane.x(at), plane.y(totals[at] ?? 0) - 9, text, look);
  });
}

const meanText = (mean: number, unit: TimeUnit) => `mean ${formatNumber(mean, unit.decimals)}`;

/** Label the segments of the last bar, and the mean, without overlaps. */
function writeSegments(sheet: Sheet, { totals, parts, mean, unit }: Bars, plane: Plane): void {
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

/** The tooltip of a bar: its parts from top to bottom. */
export function tipOf(
  { totals, parts, unit, stacked }: Pick<Bars, "totals" | "parts" | "unit" | "stacked">,
  row: number,
) {
  const said = (title: string, values: readonly number[]) =>
    `${title} ${formatNumber(values[row] ?? 0, unit.decimals)} ${unit.label}`;
  const lines = parts.map(({ title, values }) => said(title, values));
  return [...(stacked ? [said("Total", totals)] : []), ...lines.reverse()];
}

/** Make each step hoverable, clickable and brushable over its whole height. */
function points(
  sheet: Sheet,
  { numbers, totals, parts, complete, unit, stacked }: Bars,
  plane: Plane,
  source: string,
) {
  sheet.sources[source] = { step: numbers, total: totals };
  sheet.strip = {
    source,
    left: plane.start,
    slot: plane.slot,
    count: numbers.length,
  };
  if (numbers.length > POINTED) return;
  numbers.forEach((number, row) => {
    const partly = complete[row] ? [] : ["Recorded in part"];
    const height = plane.y(0) - plane.y(plane.high);
    sheet.add({
      tag: "rect",
      at: {
        x: round(plane.start + row * plane.slot),
        y: round(plane.y(plane.high)),
        width: round(plane.slot),
        height: round(height),
      },
      look: { fill: "transparent", cursor: "pointer" },
      tip: [`Step ${number}`, ...tipOf({ totals, parts, unit, stacked }, row), ...partly].join(
        "\n",
      ),
    });
  });
}
