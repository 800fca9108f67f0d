/** Draws allocated and reserved memory over time, with the steps and the peak. */
import type { Drawing } from "../../../chart/drawing";
import {
  chooseByteUnit,
  chooseTimeUnit,
  formatNumber,
  type TimeUnit,
  type UnitChoice,
} from "../../../values/format";
import type { Plane as BrushPlane } from "../../../views/memory/brush";
import { roundTicks, spread, ticksBetween } from "../layout";
import { INK, round, Sheet } from "../sheet";
import { NARROW, tickText } from "../steps/stepplane";
import { textWidth } from "../textwidth";
import { type Category, categoryWords, drawCategories, nameCategories } from "./categories";
import { type Curve, capacityOf, DASHES, highestOf, type Line, wantsLabels } from "./curves";
import { drawPeaks } from "./peaks";
import type { Plane } from "./plane";
import { reduceSteps } from "./reduce";
import { type Step, writeSteps } from "./stepnames";

interface MemoryLook {
  width: number;
  unit: UnitChoice;
  range_us: [number, number];
  steps: readonly Step[];
  /** The categories of one device's memory, where known. */
  categories: readonly Category[];
  /** The memory of another run: a curve for each, and until when it was recorded. */
  baseline?: { curves: readonly (Curve | undefined)[]; until_us: number } | undefined;
}

const TIME_TICK = 64;
const HEADROOM = 1.12;
const PITCH = 13;
const INKS = ["var(--c-curve)", ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((slot) => `var(--o-${slot})`)];

/** Draw the curves; the result includes the plot area, in which a range can be brushed. */
export function drawMemory(
  curves: readonly Curve[],
  look: MemoryLook,
): { drawing: Drawing; plane: BrushPlane } {
  const plane = planeOf(curves, look);
  const sheet = new Sheet(look.width, plane.height);
  axes(sheet, plane, look.width);
  writeSteps(sheet, look.steps, plane);
  const [only] = curves;
  const single = curves.length === 1 && !only?.isComponent ? only : undefined;
  const categories = single ? look.categories : [];
  drawCategories(sheet, categories, plane);
  const filled = single !== undefined && !categories.length;
  const others = look.baseline?.curves ?? [];
  others.forEach((other, at) => {
    const ink = single ? INK.muted : (INKS[at % INKS.length] ?? INK.muted);
    if (other) drawBaseline(sheet, other, plane, ink, look.baseline?.until_us ?? plane.end_us);
  });
  curves.forEach((curve, at) => {
    drawCurve(sheet, curve, plane, INKS[at % INKS.length] ?? INK.muted, filled);
  });
  if (single && capacityOf(single) !== null) {
    const y = plane.y(capacityOf(single) ?? 0);
    sheet.line(across(plane, y), INK.foreground);
  }
  drawPeaks(sheet, curves, others, plane, look.width);
  if (single && categories.length)
    nameCategories(sheet, categories, plane, plane.top, single.peak_us);
  else {
    const above = plane.narrow && !wantsLabels(curves);
    writeSides(sheet, allWords(curves, look, plane.unit), plane, look.width, above);
  }
  const { left, right, top, bottom, start_us, end_us, bytes } = plane;
  return { drawing: sheet.drawing(), plane: { left, right, top, bottom, start_us, end_us, bytes } };
}

function planeOf(curves: readonly Curve[], look: MemoryLook): Plane {
  const { width, unit: choice, range_us } = look;
  const there = (look.baseline?.curves ?? []).filter((one) => one !== undefined);
  const highest = highestOf([...curves, ...there]);
  const unit = chooseByteUnit([highest]);
  const narrow = width < NARROW;
  const [start_us] = range_us;
  const time = chooseTimeUnit([range_us[1]], choice);
  const end_us = range_us[1] > start_us ? range_us[1] : start_us + time.divisor;
  const ticks = roundTicks(highest / unit.divisor);
  const high = Math.max(ticks.at(-1) ?? 1, (HEADROOM * highest) / unit.divisor) * unit.divisor;
  const left = Math.max(40, ...ticks.map((tick) => textWidth(tickText(tick, ticks)) + 9));
  const named =
    curves.length === 1 && !curves[0]?.isComponent ? look.categories.map(categoryWords) : [];
  const words = named.length ? named : allWords(curves, look, unit).map(({ text }) => text);
  const widths = words.map((text) => textWidth(text) + 14);
  const beside = named.length || wantsLabels(curves);
  const right = narrow && !beside ? 14 : Math.max(64, ...widths);
  const columns = Math.max(1, Math.round(width - left - right));
  const most = Math.max(2, Math.floor(columns / TIME_TICK));
  const [height, top, bottom] = [narrow ? 220 : 244, narrow ? 46 : 36, 38];
  return {
    left,
    right,
    top,
    bottom,
    start_us,
    end_us,
    bytes: unit.divisor,
    height,
    columns,
    ticks,
    times: ticksBetween(start_us / time.divisor, end_us / time.divisor, most),
    unit,
    time,
    narrow,
    x: (at) => left + ((at - start_us) / (end_us - start_us)) * columns,
    y: (value) => height - bottom - (value / high) * (height - top - bottom),
  };
}

function across(plane: Plane, y: number): [number, number][] {
  return [
    [plane.left, y],
    [plane.left + plane.columns, y],
  ];
}

function axes(sheet: Sheet, plane: Plane, width: number): void {
  for (const tick of plane.ticks) {
    const y = plane.y(tick * plane.unit.divisor);
    sheet.line(across(plane, y), tick === 0 ? INK.line : INK.grid);
    sheet.text(plane.left - 6, y, tickText(tick, plane.ticks), { align: "end" });
  }
  sheet.text(0, 7, plane.unit.label);
  const base = plane.height - plane.bottom;
  for (const time of plane.times) {
    const text = timeText(time, plane.times);
    const half = textWidth(text) / 2 + 1;
    const x = Math.min(Math.max(plane.x(time * plane.time.divisor), half), width - half);
    sheet.text(x, base + 11, text, { align: "middle" });
  }
  const middle = plane.left + plane.columns / 2;
  sheet.text(middle, plane.height - 8, `Time, ${plane.time.label}`, { align: "middle" });
}

function timeText(time: number, times: readonly number[]): string {
  const [first = 0, second] = times;
  if (second === undefined) return formatNumber(time, 3).replace(/\.?0+$/, "");
  return time ? tickText(time, [0, second - first]) : "0";
}

/** Draw a curve: each pixel column shows where lines enter and leave, and the extent of the first. */
function drawCurve(sheet: Sheet, curve: Curve, plane: Plane, ink: string, filled: boolean): void {
  for (const { of, time_us, values } of curve.lines) {
    const points = reduceSteps(time_us, values, plane, plane.columns);
    sourceOf(sheet, `${of} ${curve.label}`, points, plane);
    if (!points.time.length) continue;
    const y = (value: number | undefined) => round(plane.y(value ?? 0));
    let line = "";
    let ranges = "";
    points.time.forEach((time, at) => {
      const x = round(plane.x(time));
      line += at ? `H${x}V${y(points.last[at])}` : `M${x} ${y(points.last[at])}`;
      const [low, high] = [points.low[at], points.high[at]];
      if (low !== high) ranges += `M${x} ${y(low)}V${y(high)}`;
    });
    line += `H${round(plane.left + plane.columns)}`;
    const dashes = DASHES[of];
    const own = !dashes || curve.isComponent || of === "peak allocated";
    const look: Record<string, string> = { fill: "none", stroke: own ? ink : INK.muted };
    if (dashes) {
      look["stroke-dasharray"] = dashes;
      look["stroke-width"] = filled ? "1.5px" : "1px";
    } else {
      const area = `${line}V${y(0)}H${round(plane.x(points.time[0] ?? 0))}Z`;
      if (filled)
        sheet.add({ tag: "path", at: { d: area }, look: { fill: ink, "fill-opacity": "0.14" } });
      sheet.add({ tag: "path", at: { d: ranges }, look });
    }
    const width = dashes ? {} : { "stroke-width": "1.5px" };
    sheet.add({ tag: "path", at: { d: line }, look: { ...look, ...width } });
  }
}

/** Draw the line of a baseline, which ends with its recording. */
function drawBaseline(
  sheet: Sheet,
  { label, lines }: Curve,
  plane: Plane,
  ink: string,
  until_us: number,
): void {
  const end_us = Math.min(until_us, plane.end_us);
  for (const { of, time_us, values } of lines) {
    const all = reduceSteps(time_us, values, plane, plane.columns);
    const count = all.time.filter((time) => time < end_us).length;
    const points = { time: all.time.slice(0, count), last: all.last.slice(0, count) };
    sourceOf(sheet, `${of} ${label}`, points, plane);
    if (!count) continue;
    let line = "";
    points.time.forEach((time, at) => {
      const [x, y] = [round(plane.x(time)), round(plane.y(points.last[at] ?? 0))];
      line += at ? `H${x}V${y}` : `M${x} ${y}`;
    });
    line += `H${round(plane.x(end_us))}`;
    const dashes = { "stroke-dasharray": DASHES[of] ?? "", "stroke-width": "1.5px" };
    sheet.add({ tag: "path", at: { d: line }, look: { fill: "none", stroke: ink, ...dashes } });
  }
}

/** The data source for the pointer, in the units of the axes, as in figures from Python. */
function sourceOf(
  sheet: Sheet,
  name: string,
  points: { time: number[]; last: number[] },
  plane: Plane,
) {
  sheet.sources[name] = {
    time: points.time.map((time) => time / plane.time.divisor),
    last: points.last.map((value) => value / plane.unit.divisor),
  };
}

interface SideLabel {
  bytes: number;
  text: string;
}

/** The labels at the ends of the curves, with the values there. */
function sideWords(curves: readonly Curve[], unit: TimeUnit): SideLabel[] {
  const label = (words: string, bytes: number): SideLabel => ({
    bytes,
    text: `${words} ${formatNumber(bytes / unit.divisor, unit.decimals)}`,
  });
  return curves.flatMap((curve) => {
    const last = ({ values }: Line) => values.at(-1) ?? 0;
    const [first] = curve.lines;
    if (curves.length > 1 && !curve.isComponent)
      return first ? [label(curve.label, last(first))] : [];
    const capacity = capacityOf(curve);
    return [
      ...curve.lines.map((line) =>
        label(curve.isComponent ? `${curve.label} ${line.of}` : capital(line.of), last(line)),
      ),
      ...(capacity === null ? [] : [label("Capacity", capacity)]),
    ];
  });
}

/** The labels of the curves and, of a single one, of its baseline. */
function allWords(curves: readonly Curve[], { baseline }: MemoryLook, unit: TimeUnit): SideLabel[] {
  const there = (baseline?.curves ?? []).filter((one) => one !== undefined);
  return [...sideWords(curves, unit), ...(curves.length === 1 ? sideWords(there, unit) : [])];
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

function writeSides(
  sheet: Sheet,
  labels: SideLabel[],
  plane: Plane,
  width: number,
  above: boolean,
): void {
  if (above) {
    const words = labels.map(({ text }) => text).join(" · ");
    sheet.text(width - 2, 7, words, { align: "end" });
    return;
  }
  const end = plane.left + plane.columns;
  const base = plane.y(0);
  const ordered = [...labels].sort((a, b) => a.bytes - b.bytes);
  const wanted = ordered.map(({ bytes }) => base - plane.y(bytes));
  const places = spread(wanted, PITCH, 2, base - plane.top);
  ordered.forEach(({ bytes, text }, at) => {
    const y = base - (places[at] ?? 0);
    if (Math.abs(plane.y(bytes) - y) > 1) {
      const leader: [number, number][] = [
        [end, plane.y(bytes)],
        [end + 4, y],
      ];
      sheet.line(leader, INK.line);
    }
    sheet.text(end + 7, y, text, { color: INK.foreground });
  });
}
