/** Converts time to pixels and back, and snaps positions to device pixels. */
import type { View } from "./types";

export interface Scale {
  view: View;
  width: number;
  /** CSS pixels per nanosecond. */
  perNs: number;
}

export function scaleOf(view: View, width: number): Scale {
  return { view, width, perNs: width / Math.max(view.end_ns - view.start_ns, 1e-9) };
}

export function toX(scale: Scale, ns: number): number {
  return (ns - scale.view.start_ns) * scale.perNs;
}

export function toNs(scale: Scale, x: number): number {
  return scale.view.start_ns + x / scale.perNs;
}

/** Device pixels per CSS pixel of a canvas. */
export function deviceRatio(ctx: CanvasRenderingContext2D): number {
  return ctx.getTransform().a || 1;
}

/** Round to the nearest edge of a device pixel, at which lines and fills are crisp. */
export function snap(x: number, ratio: number): number {
  return Math.round(x * ratio) / ratio;
}
