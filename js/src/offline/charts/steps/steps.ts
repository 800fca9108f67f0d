/** Draws the time of every step as stacked bars, from kernels at the bottom to idle. */

import { categoryColor } from "../../../chart/categorycolor";
import type { Drawing } from "../../../chart/drawing";
import type { Rows } from "../../../values/arrow";
import { chooseTimeUnit, type UnitChoice } from "../../../values/format";
import { highest } from "../layout";
import { drawLegend, legendHeight } from "../legend";
import { INK, round, Sheet } from "../sheet";
import { type Bars, tipOf } from "./bars";
import { drawSingle } from "./singlebar";
import { drawBeside, drawStacked } from "./stackedbars";
import { drawMean, meanText, writeSegments, writeSteps, writeTotals } from "./steplabels";
import { NARROW, type Plane, planeOf, tickText } from "./stepplane";

/** The categories of a step, from the bottom of its bar to the top. */
const CATEGORIES = "Kernel,Memcpy,Memset,Communication,Runtime,DataLoader,CPU Exec,Other".split(
  ",",
);
/** The columns of times without their unit: of the whole step, then of each category. */
export const TIMES = ["Total", ...CATEGORIES].map(columnOf);
/** The category that is hatched, which marks idle time independent of colour. */
const HATCHED = "Other";
/** Largest number of steps at which each can be pointed at. */
const POINTED = 600;
/** Height of the bars of a card without its legend, and the room above them. */
const CARD = { height: 240, top: 22 };

export function drawSteps(
  rows: Rows,
  look: { width: number; unit: UnitChoice; mean?: boolean },
  isMuted: (step: number) => boolean = () => false,
): Drawing {
  const bars = read(rows, look.unit, isMuted);
  if (look.mean === false) bars.mean = null;
  const whole = look.mean === false ? "Whole recording" : undefined;
  return drawBars(bars, look.width, "steps", false, whole);
}

/**
 * @param source - name of the source whose rows a click selects
 * @param onCard - whether they are those of a card, whose legend names the parts above the bars where
 *   there is no room beside them
 * @param title - label of a single bar
 */
export function drawBars(
  bars: Bars,
  width: number,
  source: string,
  onCard = false,
  title = `Step ${bars.numbers[0]}`,
): Drawing {
  const { numbers, totals, unit, parts, stacked } = bars;
  if (numbers.length === 1 && stacked && parts.length)
    return drawSingle(bars, width, source, title);
  const labels = stacked ? parts.map(({ title }) => title) : null;
  const above = onCard && (width < NARROW || !stacked) ? legendHeight(parts, width) : 0;
  const size = onCard ? { height: CARD.height + above, top: CARD.top + above } : undefined;
  const plane = planeOf(width, numbers.length, highest(totals), unit, labels, size);
  const sheet = new Sheet(width, plane.height);
  if (above) drawLegend(sheet, parts);
  axes(sheet, plane, above);
  if (!numbers.length || (onCard && !parts.length)) {
    const words = numbers.length ? "Nothing to show" : "No steps";
    const middle = (plane.start + plane.end) / 2;
    sheet.text(middle, plane.y(plane.high / 2), words, { align: "middle" });
    return sheet.drawing();
  }
  if (stacked) drawStacked(sheet, bars, plane);
  else drawBeside(sheet, bars, plane);
  const veiled = runsOf(bars.muted ?? []).map(([first, last]) => {
    const [left, right] = [plane.start + first * plane.slot, plane.start + (last + 1) * plane.slot];
    return [left, plane.y(plane.high), right - left, plane.y(0) - plane.y(plane.high)] as const;
  });
  sheet.veil(veiled);
  writeSteps(sheet, numbers, plane);
  const taken = stacked ? writeTotals(sheet, bars, plane) : [];
  if (bars.mean !== null) drawMean(sheet, plane.y(bars.mean), plane, taken);
  if (stacked && !plane.narrow) writeSegments(sheet, bars, plane);
  else if (bars.mean !== null) {
    const at = { align: "end", color: INK.foreground } as const;
    sheet.text(plane.end, 7, meanText(bars.mean, unit), at);
  }
  points(sheet, bars, plane, source);
  return sheet.drawing();
}

function columnOf(title: string): string {
  return title.toLowerCase().replace(" ", "_");
}

/** The first and last index of each run of true. */
export function runsOf(flags: readonly boolean[]): [number, number][] {
  const found: [number, number][] = [];
  flags.forEach((on, at) => {
    const last = found.at(-1);
    if (on && last && last[1] === at - 1) last[1] = at;
    else if (on) found.push([at, at]);
  });
  return found;
}

function read(rows: Rows, choice: UnitChoice, isMuted: (step: number) => boolean): Bars {
  const all = Array.from({ length: rows.length }, (_, row) => row);
  const unit = chooseTimeUnit(
    all.map((row) => rows.number("total_us", row)),
    choice,
  );
  const times = (name: string) =>
    all.map((row) => (rows.number(`${name}_us`, row) ?? 0) / unit.divisor);
  const totals = times("total");
  const complete = all.map((row) => rows.get("complete", row) !== false);
  const numbers = all.map((row) => rows.number("step", row) ?? 0);
  const muted = numbers.map(isMuted);
  const inside = all.filter((row) => !muted[row]);
  const some = inside.some((row) => complete[row]);
  const averaged = inside.filter((row) => complete[row] || !some).map((row) => totals[row] ?? 0);
  const sum = averaged.reduce((whole, one) => whole + one, 0);
  return {
    numbers,
    totals,
    parts: CATEGORIES.map((title) => ({
      title: rows.column(`${columnOf(title)}_us`)?.term || title,
      color: categoryColor(title),
      hatched: title === HATCHED,
      values: times(columnOf(title)),
    })).filter(({ values }) => values.some(Boolean)),
    complete,
    unit,
    stacked: true,
    mean: averaged.length ? sum / averaged.length : null,
    muted,
  };
}

/** Draw base line, grid, ticks, the unit above and the title below; `above` is the legend's room. */
function axes(sheet: Sheet, plane: Plane, above: number): void {
  for (const tick of plane.ticks) {
    const y = plane.y(tick);
    const ends: [number, number][] = [
      [plane.start, y],
      [plane.end, y],
    ];
    sheet.line(ends, tick === 0 ? INK.line : INK.grid);
    sheet.text(plane.start - 6, y, tickText(tick, plane.ticks), { align: "end" });
  }
  sheet.text(0, 7 + above, plane.unit.label);
  const merged = plane.merged > 1 ? ` (drawn: the slowest of every ${plane.merged})` : "";
  const middle = (plane.start + plane.end) / 2;
  sheet.text(middle, plane.height - 8, `Step${merged}`, { align: "middle" });
}

/** Make each step hoverable, clickable and brushable over its whole height. */
function points(
  sheet: Sheet,
  { numbers, totals, parts, complete, unit, stacked, muted = [] }: Bars,
  plane: Plane,
  source: string,
) {
  sheet.sources[source] = { step: numbers, total: totals, muted: muted.map(Number) };
  const high = plane.y(plane.high);
  const places = { x: plane.start, y: high, inner: plane.slot, outer: plane.y(0) - high };
  sheet.items = { kind: "columns", source, ...places };
  if (numbers.length > POINTED) return;
  numbers.forEach((number, row) => {
    const partly = [
      ...(complete[row] ? [] : ["Recorded in part"]),
      ...(muted[row] ? ["Outside of the filter"] : []),
    ];
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
