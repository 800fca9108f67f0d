/** Marks the peaks of the memory chart, and writes their values where there is room. */
import { formatBytes } from "../../../values/format";
import { INK, round, type Sheet } from "../sheet";
import { textWidth } from "../textwidth";
import { changeText } from "./baseline";
import { type Curve, DASHES } from "./curves";
import type { Plane } from "./plane";

/** Least distance between two texts, CSS px. */
const PITCH = 13;
/** Minimum distance from the middle of a peak's label to a dashed line, CSS px. */
const OFF = 8;

/** Mark the visible peaks, each with its value where there is room. */
export function drawPeaks(
  sheet: Sheet,
  curves: readonly Curve[],
  baselines: readonly (Curve | undefined)[],
  plane: Plane,
  width: number,
): void {
  const isSeen = ({ peak_us, isComponent }: Curve) =>
    !isComponent && peak_us >= plane.start_us && peak_us <= plane.end_us;
  const there = baselines.filter((one) => one !== undefined);
  const inSight = curves.filter(isSeen);
  sheet.sources.peaks = { x: inSight.map(({ peak_us }) => peak_us) };
  const small = { fill: INK.background, stroke: INK.muted, "stroke-width": "1.5px" };
  for (const { peak_us, peak } of there.filter(isSeen)) {
    const at = { cx: round(plane.x(peak_us)), cy: round(plane.y(peak)), r: 3 };
    sheet.add({ tag: "circle", at, look: small });
  }
  const named = curves.map((curve, at): [Curve, string] => {
    const words = curves.length === 1 ? "Peak" : `${curve.label} peak`;
    const before = baselines[at];
    const other = before && curves.length === 1 ? `, baseline ${formatBytes(before.peak)}` : "";
    const change = before ? ` ${changeText(curve.peak, before.peak)}` : "";
    return [curve, `${words} ${formatBytes(curve.peak)}${other}${change}`];
  });
  const taken: [left: number, right: number, y: number][] = [];
  for (const [curve, text] of named.filter(([one]) => isSeen(one))) {
    const [x, y] = [plane.x(curve.peak_us), plane.y(curve.peak)];
    const look = { fill: INK.background, stroke: INK.foreground, "stroke-width": "1.5px" };
    sheet.add({ tag: "circle", at: { cx: round(x), cy: round(y), r: 4 }, look });
    const wide = textWidth(text, undefined, true);
    const fits = x + 5 + wide <= width - plane.right;
    const left = Math.max(fits ? x + 5 : x - 5 - wide, plane.left + 2);
    const level = aboveDashes([...curves, ...there], plane, [left, left + wide], y - OFF);
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
