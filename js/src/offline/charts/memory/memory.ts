/** Draws allocated and reserved memory over time, with the steps and the peak. */
import type { Drawing } from "../../../chart/drawing";
import {
  chooseByteUnit,
  chooseTimeUnit,
  formatBytes,
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
import { reduceSteps } from "./reduce";
import { type Step, writeSteps } from "./stepnames";

interface MemoryLook {
  width: number;
  unit: UnitChoice;
  range_us: [number, number];
  steps: readonly Step[];
  /** The categories of one device's memory, where known. */
  categories: readonly Category[];
}

const TIME_TICK = 64;
const HEADROOM = 1.12;
const PITCH = 13;
/** Minimum distance from the middle of a peak's label to a dashed line, CSS px. */
const OFF = 8;
const INKS = ["var(--c-curve)", ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((slot) => `var(--o-${slot})`)];

interface Plane extends BrushPlane {
  height: number;
  columns: number;
  ticks: number[];
  times: number[];
  unit: TimeUnit;
  time: TimeUnit;
  narrow: boolean;
  x(time_us: number): number;
  y(bytes: number): number;
}

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
  curves.forEach((curve, at) => {
    drawCurve(sheet, curve, plane, INKS[at % INKS.length] ?? INK.muted, filled);
  });
  if (single && capacityOf(single) !== null) {
    const y = plane.y(capacityOf(single) ?? 0);
    sheet.line(across(plane, y), INK.foreground);
  }
  drawPeaks(sheet, curves, plane, look.width);
  if (single && categories.length)
    nameCategories(sheet, categories, plane, plane.top, single.peak_us);
  else {
    const above = plane.narrow && !wantsLabels(curves);
    writeSides(sheet, sideWords(curves, plane.unit), plane, look.width, above);
  }
  const { left, right, top, bottom, start_us, end_us, bytes } = plane;
  return { drawing: sheet.drawing(), plane: { left, right, top, bottom, start_us, end_us, bytes } };
}

function planeOf(curves: readonly Curve[], look: MemoryLook): Plane {
  const { width, unit: choice, range_us } = look;
  const highest = highestOf(curves);
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
  const words = named.length ? named : sideWords(curves, unit).map(({ text }) => text);
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

/** Mark the visible peaks, each with its value where there is room. */
function drawPeaks(sheet: Sheet, curves: readonly Curve[], plane: Plane, width: number): void {
  const inSight = curves.filter(
    ({ peak_us, isComponent }) =>
      !isComponent && peak_us >= plane.start_us && peak_us <= plane.end_us,
  );
  sheet.sources.peaks = { x: inSight.map(({ peak_us }) => peak_us) };
  const taken: [left: number, right: number, y: number][] = [];
  for (const curve of inSight) {
    const [x, y] = [plane.x(curve.peak_us), plane.y(curve.peak)];
    const look = { fill: INK.background, stroke: INK.foreground, "stroke-width": "1.5px" };
    sheet.add({ tag: "circle", at: { cx: round(x), cy: round(y), r: 4 }, look });
    const words = curves.length === 1 ? "Peak" : `${curve.label} peak`;
    const text = `${words} ${formatBytes(curve.peak)}`;
    const wide = textWidth(text, undefined, true);
    const fits = x + 5 + wide <= width - plane.right;
    const left = Math.max(fits ? x + 5 : x - 5 - wide, plane.left + 2);
    const level = aboveDashes(curves, plane, [left, left + wide], y - OFF);
    const clash = taken.some(
      ([a, b, other]) => a < left + wide && left < b && Math.abs(other - level) < PITCH,
    );
    if (clash) continue;
    taken.push([left, left + wide, level]);
    sheet.text(left, level, text, { color: INK.foreground, bold: true, over: true });
  }
}

/** A height at which no dashed line runs through a text, if there is room; `level` where none does. */
function aboveDashes(
  curves: readonly Curve[],
  plane: Plane,
  [left, right]: [number, number],
  level: number,
): number {
  const crossing = curves.flatMap(({ lines }) =>
    lines.flatMap(({ of, time_us, values }) => {
      if (!DASHES[of]) return [];
      const inside = (_: number, at: number) =>
        plane.x(time_us[at] ?? 0) <= right && plane.x(time_us[at + 1] ?? Infinity) > left;
      const heights = values.filter(inside).map(plane.y);
      const crosses = heights.some((height) => Math.abs(height - level) < OFF - 1);
      return crosses ? [Math.min(...heights) - OFF] : [];
    }),
  );
  const above = Math.min(level, ...crossing);
  return above < plane.top + 6 ? level : above;
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
