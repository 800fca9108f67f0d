/** Grows and shrinks the selected range for the keyboard. */

import type { Lane } from "../../data/messages";
import { span } from "../../state/camera";
import type { Area, View } from "../../state/types";
import type { Direction } from "../hittest";

/** How far one press moves the end of a range, as a share of the window. */
const STEP = 0.05;

/**
 * Return a range with its end moved, or with one lane added.
 *
 * @param area - the range; null to start in the middle of the window
 * @param shown - the lanes, from top to bottom
 */
export function extended(
  area: Area | null,
  direction: Direction,
  view: View,
  trace: View,
  shown: readonly Lane[],
): Area | null {
  if (!area) return begun(view, shown);
  const step = Math.max(1, Math.round(STEP * span(view)));
  let { start_ns, end_ns } = area;
  if (direction === "right") end_ns = Math.min(end_ns + step, Math.floor(trace.end_ns));
  else if (direction === "left" && end_ns - step > start_ns) end_ns -= step;
  else if (direction === "left") start_ns = Math.max(start_ns - step, trace.start_ns);
  return { start_ns, end_ns, lanes: withLane(area.lanes, direction, shown) };
}

/** The range of a slice in its lane, at least 1 ns long. */
export function areaOf({ start_ns, end_ns }: View, lane: string): Area {
  return { start_ns, end_ns: Math.max(end_ns, start_ns + 1), lanes: [lane] };
}

function begun(view: View, shown: readonly Lane[]): Area | null {
  const [first] = shown;
  if (!first) return null;
  const middle = (view.start_ns + view.end_ns) / 2;
  const half = Math.max(1, STEP * span(view));
  const [start_ns, end_ns] = [Math.round(middle - half), Math.round(middle + half)];
  return { start_ns, end_ns, lanes: [first.key] };
}

function withLane(lanes: string[], direction: Direction, shown: readonly Lane[]): string[] {
  if (direction === "left" || direction === "right" || lanes.length === 0) return lanes;
  const places = shown.flatMap(({ key }, at) => (lanes.includes(key) ? [at] : []));
  const next = direction === "up" ? Math.min(...places) - 1 : Math.max(...places) + 1;
  const key = shown[next]?.key;
  return key === undefined || lanes.includes(key) ? lanes : [...lanes, key];
}
