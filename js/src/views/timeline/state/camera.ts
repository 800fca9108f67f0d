/** Pure functions that change the time window on screen: zoom, pan, clamp, reveal. */
import type { SliceRef } from "../data/messages";
import type { View } from "./types";

/**
 * The shortest window, ns. At 1,000 px one nanosecond is then 50 px wide; times are far below
 * 2^53 ns, so that doubles distinguish single nanoseconds.
 */
export const MIN_SPAN = 20;

/** A narrower slice, px, counts as invisible. */
const LEAST_SEEN = 3;
/** The share of the screen that a slice fills after zooming to it. */
const FILL = 0.8;

export function span(view: View): number {
  return view.end_ns - view.start_ns;
}

export function toX(view: View, width: number, time_ns: number): number {
  return ((time_ns - view.start_ns) / span(view)) * width;
}

export function toTime(view: View, width: number, x: number): number {
  return view.start_ns + (x / width) * span(view);
}

/** Move a window into the trace; one that is too short or too long gets the nearest length. */
export function clamp(view: View, trace: View): View {
  const whole = Math.max(span(trace), MIN_SPAN);
  const length = Math.min(Math.max(span(view), MIN_SPAN), whole);
  const middle = (view.start_ns + view.end_ns) / 2;
  const wanted = length === span(view) ? view.start_ns : middle - length / 2;
  const start_ns = Math.max(trace.start_ns, Math.min(wanted, trace.start_ns + whole - length));
  return { start_ns, end_ns: start_ns + length };
}

/** Divide the window's length by `factor`; the time `at_ns` keeps its position on screen. */
export function zoomAt(view: View, trace: View, factor: number, at_ns: number): View {
  const whole = Math.max(span(trace), MIN_SPAN);
  const length = Math.min(Math.max(span(view) / factor, MIN_SPAN), whole);
  const share = (at_ns - view.start_ns) / span(view);
  const start_ns = at_ns - share * length;
  return clamp({ start_ns, end_ns: start_ns + length }, trace);
}

export function panBy(view: View, trace: View, by_ns: number): View {
  return clamp({ start_ns: view.start_ns + by_ns, end_ns: view.end_ns + by_ns }, trace);
}

/** A window around a range, with a margin. */
export function around(start_ns: number, end_ns: number, trace: View): View {
  const length = Math.max(end_ns - start_ns, 1) / FILL;
  const middle = (start_ns + end_ns) / 2;
  return clamp({ start_ns: middle - length / 2, end_ns: middle + length / 2 }, trace);
}

/** The window that shows a slice: unchanged if it is visible, else moved, else zoomed. */
export function reveal(view: View, trace: View, target: SliceRef, width: number): View {
  const { start_ns, end_ns } = target;
  const seen = ((end_ns - start_ns) / span(view)) * width;
  if (seen < LEAST_SEEN) {
    // Zoomed in enough to see it, but not so far that its surroundings are lost.
    const length = Math.max(end_ns - start_ns, 1) * (width / (LEAST_SEEN * 8));
    const middle = (start_ns + end_ns) / 2;
    return clamp({ start_ns: middle - length / 2, end_ns: middle + length / 2 }, trace);
  }
  if (seen > width) {
    const touches = start_ns < view.end_ns && end_ns > view.start_ns;
    return touches ? view : around(start_ns, end_ns, trace);
  }
  if (start_ns >= view.start_ns && end_ns <= view.end_ns) return view;
  return panBy(view, trace, (start_ns + end_ns) / 2 - (view.start_ns + view.end_ns) / 2);
}

export function sameView(a: View, b: View): boolean {
  return a.start_ns === b.start_ns && a.end_ns === b.end_ns;
}

/** The `window` trait: microseconds, or null for the whole trace. */
export function toTrait(view: View, trace: View): [number, number] | null {
  const start = Math.round(view.start_ns);
  const end = Math.round(view.end_ns);
  if (start <= trace.start_ns && end >= trace.end_ns) return null;
  return [start / 1e3, end / 1e3];
}

export function fromTrait(window: readonly [number, number] | null, trace: View): View {
  if (window === null) return clamp(trace, trace);
  const [first, last] = window;
  return clamp({ start_ns: Math.round(first * 1e3), end_ns: Math.round(last * 1e3) }, trace);
}
