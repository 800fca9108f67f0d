/** Draws points on logarithmic axes, as `nbprof/charts/points/points.py` places them. */

import type { Drawing } from "../../chart/drawing";
import type { Value } from "../../values/arrow";
import { formatNumber, formatPercent, type UnitChoice } from "../../values/format";
import type { StoredColumn } from "../tables/tables";
import { shortName } from "./colors";
import { timeText } from "./donut";
import { Room } from "./room";
import { INK, Sheet } from "./sheet";
import { fitText, textWidth } from "./textwidth";

const TOP = 26;
const BOTTOM = 40;
const LEFT = 56;
const RIGHT = 24;
const HEIGHT = 380;
/** Radius of the largest and of the smallest point. */
const LARGEST = 16;
const SMALLEST = 2.5;
const LEGEND_GAP = 14;
/** Number of points that are named, and of those that are tried. */
const NAMED = 6;
const TRIED = 60;
/** Distance of places along a roof for its text, and distances from it, the best first. */
const STEP = 24;
const SIDES = [
  [7, -8],
  [18, -19],
  [29, -30],
];
const OPACITY = "0.6";

interface Point {
  name: string;
  x: number;
  y: number;
  size: number;
  /** Number of the series, -1 for none. */
  part: number;
  muted: boolean;
}

interface Roof {
  label: string;
  color: string;
  peak: number;
  slope: number;
}

interface Look {
  roofs: Roof[];
  series: { label: string; color: string }[];
  axes: [string, string];
  choice: UnitChoice;
  width: number;
}

/**
 * The rows of the saved table as points.
 *
 * @param outside - whether a point is outside of the filter
 */
export function pointsOf(
  columns: StoredColumn[],
  outside: (one: Value, row: number) => boolean,
): Point[] {
  const [names = [], x = [], y = [], size = [], part = []] = columns.map(({ values }) => values);
  return names.map((name, at) => ({
    name: String(name ?? ""),
    x: Number(x[at]),
    y: Number(y[at]),
    size: Number(size[at]),
    part: Number(part[at]),
    muted: outside(name, at),
  }));
}

export function drawPoints(points: Point[], look: Look): Drawing {
  const { roofs, series, width } = look;
  const sheet = new Sheet(width, HEIGHT);
  const [across, up] = scales(points, roofs, width);
  drawAxes(sheet, across, up, look.axes);
  if (!points.length) {
    sheet.text(width / 2, HEIGHT / 2, "Nothing to show", { align: "middle" });
    return sheet.drawing();
  }
  const most = Math.max(...points.map(({ size }) => size));
  const scale = most > 0 ? LARGEST / Math.sqrt(most) : 0;
  const color = ({ part }: Point) => series[part]?.color ?? "var(--c-other)";
  const placed = points
    .map((point, at) => ({ point, at }))
    .sort((a, b) => b.point.size - a.point.size || a.at - b.at)
    .map(({ point }) => ({
      ...point,
      left: across.at(point.x),
      down: up.at(point.y),
      radius: Math.max(Math.sqrt(point.size) * scale, SMALLEST),
      color: color(point),
    }));
  const area = { left: LEFT, right: width - RIGHT, top: TOP, bottom: HEIGHT - BOTTOM };
  const room = new Room(placed, area);
  drawRoofs(sheet, across, up, roofs, room);
  sheet.sources.bars = {
    name: placed.map(({ name }) => name),
    x: placed.map(({ left }) => left),
    down: placed.map(({ down }) => down),
    radius: placed.map(({ radius }) => radius),
    muted: placed.map(({ muted }) => Number(muted)),
  };
  sheet.items = { kind: "points", source: "bars", x: 0, y: 0, inner: 0, outer: 0 };
  for (const one of placed) {
    const fill = one.muted ? "var(--c-rest)" : one.color;
    sheet.add({
      tag: "circle",
      at: { cx: round(one.left), cy: round(one.down), r: round(one.radius) },
      look: { fill, "fill-opacity": OPACITY, stroke: fill },
      tip: [
        one.name,
        `TFLOP/s\t${threeDigits(one.y)}`,
        `FLOP/byte\t${threeDigits(one.x)}`,
        `Time\t${timeText(one.size, look.choice)}`,
        `Of its roof\t${shareOf(one, one.color, roofs)}`,
      ].join("\n"),
    });
  }
  const used = new Set(points.map(({ part }) => part));
  drawLegend(
    sheet,
    series.filter((_, at) => used.has(at)),
  );
  nameLargest(sheet, placed, room);
  return sheet.drawing();
}

interface Scale {
  low: number;
  high: number;
  at(value: number): number;
}

/** Logarithmic axes between whole powers of ten. */
function scales(points: Point[], roofs: Roof[], width: number): [Scale, Scale] {
  const ridges = roofs.filter(({ slope }) => slope).map(({ peak, slope }) => peak / slope);
  const xs = [...points.map(({ x }) => x), ...ridges];
  const ys = [...points.map(({ y }) => y), ...roofs.map(({ peak }) => peak)];
  const scale = (values: number[], from: number, to: number): Scale => {
    const all = values.length ? values : [1, 100];
    const low = Math.floor(Math.log10(Math.min(...all)));
    const high = Math.max(Math.ceil(Math.log10(Math.max(...all)) + 0.05), low + 1);
    const at = (value: number) => from + ((Math.log10(value) - low) / (high - low)) * (to - from);
    return { low, high, at };
  };
  return [scale(xs, LEFT, width - RIGHT), scale(ys, HEIGHT - BOTTOM, TOP)];
}

function drawAxes(sheet: Sheet, across: Scale, up: Scale, axes: [string, string]): void {
  const [right, base] = [sheet.width - RIGHT, HEIGHT - BOTTOM];
  const powers = ({ low, high }: Scale) =>
    Array.from({ length: high - low + 1 }, (_, at) => low + at);
  powers(across).forEach((power, at) => {
    const x = across.at(10 ** power);
    sheet.line(
      [
        [x, base],
        [x, TOP],
      ],
      at ? INK.grid : INK.line,
    );
    if (at % every(across, right - LEFT) === 0)
      sheet.text(x, base + 11, powerText(power), { align: "middle" });
  });
  powers(up).forEach((power, at) => {
    const y = up.at(10 ** power);
    sheet.line(
      [
        [LEFT, y],
        [right, y],
      ],
      at ? INK.grid : INK.line,
    );
    if (at % every(up, (base - TOP) * 2) === 0)
      sheet.text(LEFT - 6, y, powerText(power), { align: "end" });
  });
  sheet.text((LEFT + right) / 2, HEIGHT - 10, axes[0], { align: "middle" });
  sheet.text(4, 10, axes[1]);
}

/** A number n so that every nth power of ten has room for its text. */
function every({ low, high }: Scale, room: number): number {
  return Math.max(1, Math.ceil(((high - low) * 44) / Math.max(room, 1)));
}

function powerText(power: number): string {
  return Math.abs(power) <= 4 ? formatNumber(10 ** power, Math.max(0, -power)) : `1e${power}`;
}

function drawRoofs(sheet: Sheet, across: Scale, up: Scale, roofs: Roof[], room: Room): void {
  const right = sheet.width - RIGHT;
  for (const { color, peak, slope } of roofs) {
    const top = up.at(peak);
    const points: [number, number][] = [[right, top]];
    if (slope) {
      const ridge = peak / slope;
      points.unshift([across.at(ridge), top]);
      const start = Math.max(10 ** across.low, 10 ** up.low / slope);
      if (start < ridge) points.unshift([across.at(start), up.at(start * slope)]);
    } else points.unshift([LEFT, top]);
    sheet.line(points, color);
  }
  for (const { label, peak, slope } of roofs) {
    const text = `${label} ${threeDigits(peak)} TFLOP/s`;
    const wide = textWidth(text);
    const ridge = slope ? across.at(peak / slope) : LEFT;
    const last = right - 2 - wide;
    const steps = Math.max(0, Math.floor((last - ridge) / STEP)) + 1;
    const places = SIDES.flatMap((sides) =>
      Array.from({ length: steps }, (_, at) => last - at * STEP).flatMap((start) =>
        sides.map((side): [number, number] => [start, up.at(peak) - side]),
      ),
    );
    const place = room.place(wide, places);
    if (place) sheet.text(...place, text);
  }
}

function drawLegend(sheet: Sheet, legend: Look["series"]): void {
  let x = sheet.width - RIGHT;
  for (const { label, color } of [...legend].reverse()) {
    x -= textWidth(label);
    sheet.text(x, 10, label);
    x -= 9;
    const look = { fill: color, "fill-opacity": OPACITY, stroke: color };
    sheet.add({ tag: "circle", at: { cx: round(x), cy: 10, r: 4 }, look });
    x -= LEGEND_GAP;
  }
}

function nameLargest(
  sheet: Sheet,
  placed: { name: string; left: number; down: number; radius: number; muted: boolean }[],
  room: Room,
): void {
  const seen = new Set<string>();
  for (const { name, left, down, radius, muted } of placed.slice(0, TRIED)) {
    if (seen.size >= NAMED || muted || seen.has(name)) continue;
    const text = fitText(shortName(name), 150);
    const wide = textWidth(text);
    const side = radius + 4;
    const middle = left - wide / 2;
    const place = room.place(wide, [
      [left + side, down],
      [left - side - wide, down],
      [middle, down - side - 5],
      [middle, down + side + 5],
    ]);
    if (!place) continue;
    seen.add(name);
    sheet.text(...place, text, { color: INK.foreground });
  }
}

/** The share of the roof of a point's own colour, which is that of its type. */
function shareOf({ x, y }: Point, color: string, roofs: Roof[]): string {
  const own = roofs.find((roof) => roof.color === color);
  if (!own) return "-";
  const limit = Math.min(own.peak, own.slope ? own.slope * x : own.peak);
  return `${formatPercent((100 * y) / limit)} %`;
}

function threeDigits(value: number): string {
  const decimals = value > 0 ? 2 - Math.floor(Math.log10(value)) : 0;
  return formatNumber(value, Math.max(0, Math.min(6, decimals)));
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
