/** Finds the item (bar or slice) of a chart at a point, and makes outlines of items. */

import { type Source, sourceColumn } from "../chart/bokeh";
import type { Items } from "../core/protocol/protocol";

/** The kind of a chart's items: steps, names or workers. */
export type Picks = "steps" | "name" | "worker";

/** Room above the bars, CSS px, that belongs to them and contains their totals. */
const OVER = 14;
/** Distance up to which a point is hit, CSS px. */
const REACH = 5;

/** The item at a point; -1 outside of all. */
export function itemAt(items: Items, source: Source, x: number, y: number): number {
  const { kind, inner, outer } = items;
  const [dx, dy] = [x - items.x, y - items.y];
  if (kind === "ring") {
    const radius = Math.hypot(dx, dy);
    if (radius < inner || radius > outer) return -1;
    const turn = 2 * Math.PI;
    const angle = Math.atan2(-dy, dx);
    return spans(source).findIndex(([start, end]) => {
      const into = (((start - angle) % turn) + turn) % turn;
      return into < start - end;
    });
  }
  if (kind === "points") {
    let [found, nearest] = [-1, Infinity];
    discs(source).forEach(([cx, cy, radius], row) => {
      const far = Math.hypot(x - cx, y - cy) - Math.max(radius, REACH);
      // Smaller discs lie above larger ones.
      if (far <= 0 && radius <= nearest) [found, nearest] = [row, radius];
    });
    return found;
  }
  const [along, across] = kind === "columns" ? [dx, dy + OVER] : [dy, dx];
  const at = Math.floor(along / inner);
  const deep = kind === "columns" ? outer + OVER : outer;
  return at >= 0 && at < countOf(source) && across >= 0 && across <= deep ? at : -1;
}

/** The outline of some items as an SVG path; those side by side have one together. */
export function outline(items: Items, source: Source, rows: readonly number[]): string {
  const { kind, x, y, inner, outer } = items;
  if (kind === "ring") {
    const angles = spans(source);
    return rows.map((row) => ringPart(items, ...(angles[row] ?? [0, 0]))).join("");
  }
  if (kind === "points") {
    const all = discs(source);
    return rows.map((row) => disc(...(all[row] ?? [0, 0, 0]))).join("");
  }
  return runsOf(rows)
    .map(([first, last]) => {
      const [from, length] = [first * inner, (last - first + 1) * inner];
      return kind === "columns"
        ? box(x + from, y - OVER, length, outer + OVER)
        : box(x, y + from, outer, length);
    })
    .join("");
}

export function countOf(source: Source): number {
  const { data } = source;
  const [first] = data instanceof Map ? data.values() : Object.values(data);
  return first?.length ?? 0;
}

function spans(source: Source): [number, number][] {
  const ends = sourceColumn(source, "end").map(Number);
  return sourceColumn(source, "start").map((start, row) => [Number(start), ends[row] ?? 0]);
}

/** The discs of points: middles from the upper left corner, and radii. */
function discs(source: Source): [number, number, number][] {
  const [across, down, radius] = ["x", "down", "radius"].map((key) =>
    sourceColumn(source, key).map(Number),
  ) as [number[], number[], number[]];
  return across.map((x, row) => [x, down[row] ?? 0, radius[row] ?? 0]);
}

function disc(x: number, y: number, radius: number): string {
  const [r, d] = [radius + 2, 2 * radius + 4];
  return `M${x - r} ${y}a${r} ${r} 0 1 0 ${d} 0a${r} ${r} 0 1 0 ${-d} 0Z`;
}

function runsOf(rows: readonly number[]): [number, number][] {
  const runs: [number, number][] = [];
  for (const row of [...rows].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && row === last[1] + 1) last[1] = row;
    else runs.push([row, row]);
  }
  return runs;
}

function box(left: number, top: number, width: number, height: number): string {
  return `M${left} ${top}h${width}v${height}h${-width}Z`;
}

/** A piece of a ring between two angles, clockwise; a full circle is drawn as two halves. */
export function ringPart(
  ring: Pick<Items, "x" | "y" | "inner" | "outer">,
  start: number,
  end: number,
): string {
  const turn = start - end;
  if (turn > 2 * Math.PI - 1e-6) {
    const middle = start - turn / 2;
    return ringPart(ring, start, middle) + ringPart(ring, middle, middle - turn / 2 + 1e-7);
  }
  const { x, y, inner, outer } = ring;
  const round = (value: number) => Math.round(value * 100) / 100;
  const at = (radius: number, angle: number) =>
    `${round(x + radius * Math.cos(angle))} ${round(y - radius * Math.sin(angle))}`;
  const large = turn > Math.PI ? 1 : 0;
  return (
    `M${at(outer, start)}A${round(outer)} ${round(outer)} 0 ${large} 1 ${at(outer, end)}` +
    `L${at(inner, end)}A${round(inner)} ${round(inner)} 0 ${large} 0 ${at(inner, start)}Z`
  );
}
