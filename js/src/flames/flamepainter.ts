/** Paints the flame graph on its canvas. */

import type { Palette } from "../canvas/palette";
import { labelsOf } from "../drawing/labels";
import { fillsOf, frameFill } from "../fills/fills";
import type { Frame, Frames, Span } from "./frames";

export const ROW = 18;
const BAR = 17;
const LABEL_MARGIN = 4;
const LABEL_FROM = 26;
const GAP_FROM = 3;
const MATCH_HEIGHT = 2;

interface Picture {
  frames: Frames;
  span: Span;
  width: number;
  height: number;
  /** Scroll position of the rows, CSS px. */
  top: number;
  searching: boolean;
  /** The label of the bar for everything. */
  title: string;
  /** The fill of a frame; by default that of its category. */
  fillOf?: ((frame: Frame, dimmed: boolean) => number) | undefined;
}

/** Top of the bars of a depth; the bar for everything is above depth 0. */
export function rowTop(depth: number): number {
  return (depth + 1) * ROW;
}

export function toX(place: number, [start, end]: Span, width: number): number {
  return ((place - start) / (end - start)) * width;
}

export function paintFlame(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  picture: Picture,
): void {
  const { frames, width, height, top } = picture;
  pen.clearRect(0, 0, width, height);
  pen.textAlign = "left";
  pen.textBaseline = "middle";
  const root = rowTop(-1) - top;
  pen.fillStyle = palette.subtle;
  pen.fillRect(0, root, width, BAR);
  text(pen, palette, picture.title, -1, palette.muted, 0, width, root);
  const first = Math.max(0, Math.floor(top / ROW) - 1);
  for (let depth = first; rowTop(depth) - top < height; depth += 1) {
    for (const frame of frames.at(depth)) bar(pen, palette, picture, frame);
  }
}

function usualFill({ kind, slot, shade }: Frame, dimmed: boolean): number {
  return frameFill(kind, slot, shade, dimmed);
}

function bar(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  { span, width, top, searching, fillOf = usualFill }: Picture,
  frame: Frame,
): void {
  const left = Math.max(-1, toX(frame.start, span, width));
  const right = Math.min(width + 1, toX(frame.end, span, width));
  if (right < 0 || left > width) return;
  const y = rowTop(frame.depth) - top;
  const room = Math.max(1, right - left - (right - left >= GAP_FROM ? 1 : 0));
  const { colors, inks } = fillsOf(palette);
  const fill = fillOf(frame, searching && !frame.match);
  pen.fillStyle = colors[fill] as string;
  pen.fillRect(left, y, room, BAR);
  if (searching && frame.match) {
    pen.fillStyle = palette.accent;
    pen.fillRect(left, y, Math.max(2, room), MATCH_HEIGHT);
  }
  if (room >= LABEL_FROM && frame.name)
    text(pen, palette, frame.name, frame.kind, inks[fill] as string, left, left + room, y);
}

function text(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  name: string,
  kind: number,
  ink: string,
  left: number,
  right: number,
  y: number,
): void {
  const x = Math.max(left, 0) + LABEL_MARGIN;
  const shown = labelsOf(pen, palette.font).fit(name, kind, right - LABEL_MARGIN - x);
  if (!shown) return;
  pen.font = palette.font;
  pen.fillStyle = ink;
  pen.fillText(shown, x, y + BAR / 2 + 0.5);
}
