/** Draws the parts of step bars, stacked or side by side. */

import { type Box, fillBoxes } from "../legend";
import { INK, type Sheet } from "../sheet";
import type { Bars } from "./bars";
import type { Plane } from "./stepplane";

/** CSS px: least distance of bars that get an outline. */
const OUTLINED = 4;

/** Draw one path per part: the number of elements does not grow with the steps. */
export function drawStacked(sheet: Sheet, { totals, parts }: Bars, plane: Plane): void {
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
export function drawBeside(sheet: Sheet, { numbers, parts }: Bars, plane: Plane): void {
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
