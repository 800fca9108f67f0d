/** The time of every step as stacked bars, from kernels at the bottom to idle. */

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
/** Drawn hatched: a second sign that nothing is done there. */
const HATCHED = "other";
/** CSS px: between two labels beside the last bar; from bar to bar with an outline. */
const PITCH = 13;
const OUTLINED = 4;
/** Steps up to which each bar carries its total, or can be pointed at. */
const TOTALS = 24;
const POINTED = 600;
/** Share of the last bar from which a segment is labelled, %. */
const LEAST = 1;

export interface Part {
  title: string;
  color: string;
  /** What is left, or idle. */
  hatched: boolean;
  values: number[];
}

export interface Bars {
  numbers: number[];
  totals: number[];
  parts: Part[];
  complete: boolean[];
  unit: TimeUnit;
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
 * @param source - name of the source that a click selects rows of
 * @param named - whether parts are named below where there is no room beside the bars
 */
export function drawBars(bars: Bars, width: number, source: string, named = false): Drawing {
  const { numbers, totals, unit, parts } = bars;
  const labels = parts.map(({ title }) => title);
  const plane = planeOf(width, numbers.length, highest(totals), unit, labels);
  const below = named && plane.narrow ? legendHeight(parts, width) : 0;
  const sheet = new Sheet(width, plane.height + below);
  if (below) drawLegend(sheet, parts, plane.height);
  axes(sheet, plane);
  if (!numbers.length) {
    sheet.text((plane.start + plane.end) / 2, plane.y(plane.high / 2), "No steps", {
      align: "middle",
    });
    return sheet.drawing();
  }
  draw(sheet, bars, plane);
  writeSteps(sheet, numbers, plane);
  if (bars.mean !== null) {
    const y = plane.y(bars.mean);
    const ends: [number, number][] = [
      [plane.start, y],
      [plane.end, y],
    ];
    sheet.line(ends, INK.foreground, { "stroke-dasharray": "3 3" });
  }
  writeTotals(sheet, totals, plane);
  if (!plane.narrow) writeSegments(sheet, bars, plane);
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
    mean: averaged.length ? sum / averaged.length : null,
  };
}

export const highest = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), 0);

/** Base line, grid, ticks, the unit above them and the title below. */
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

/** One path a part: as many elements as colours, however many steps. */
function draw(sheet: Sheet, { totals, parts }: Bars, plane: Plane): void {
  const shown = slowest(totals, plane.merged);
  const below = new Float64Array(totals.length);
  // Bars that touch must not blur into each other at their edges.
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

/** The sides of a bar; those that touch end on whole pixels, where the next one begins. */
function sides(plane: Plane, row: number, place: number): [number, number] {
  const middle = plane.x(row);
  if (plane.slot >= OUTLINED) return [middle - plane.bar / 2, middle + plane.bar / 2];
  const edge = (at: number) => Math.round(plane.start + at * plane.merged * plane.slot);
  return [edge(place), Math.min(edge(place + 1), Math.round(plane.end))];
}

/** Where steps are narrower than a pixel, the slowest one of each pixel. */
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

/** Each bar's total over it, on top of the mean's line, if all of them have room. */
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

/** Name the segments of the last bar and the mean, beside them and apart from each other. */
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

/** What a bar consists of, from the top down. */
export function tipOf(
  { totals, parts, unit }: Pick<Bars, "totals" | "parts" | "unit">,
  row: number,
) {
  const said = (title: string, values: readonly number[]) =>
    `${title} ${formatNumber(values[row] ?? 0, unit.decimals)} ${unit.label}`;
  const lines = parts.map(({ title, values }) => said(title, values));
  return [said("Total", totals), ...lines.reverse()];
}

/** Let a step be pointed at, clicked and brushed over its whole height. */
function points(
  sheet: Sheet,
  { numbers, totals, parts, complete, unit }: Bars,
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
      tip: [`Step ${number}`, ...tipOf({ totals, parts, unit }, row), ...partly].join("\n"),
    });
  });
}
