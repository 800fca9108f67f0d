/** From time to pixels and back, and where device pixels lie. */
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

/** Device pixels per CSS pixel, as the caller has scaled the canvas. */
export function deviceRatio(ctx: CanvasRenderingContext2D): number {
  return ctx.getTransform().a || 1;
}

/** The edge of a device pixel that is nearest: lines and fills that start there are crisp. */
export function snap(x: number, ratio: number): number {
  return Math.round(x * ratio) / ratio;
}
