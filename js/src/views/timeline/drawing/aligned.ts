/** Paints the line at which two runs are aligned, on the ruler and through the lanes. */
import type { Palette } from "../../../canvas/palette";
import type { Compared } from "../data/messages";
import { deviceRatio, type Scale, snap, toX } from "../state/scale";
import type { Scene } from "../state/types";
import { inSight } from "./slices";

interface AlignedScene {
  width: number;
  aligned?: Compared | undefined;
  palette: Palette;
}

interface Strip {
  y: number;
  height: number;
}

const DASH = [4, 3];
/** Half of the width of the mark at the top, CSS px. */
const MARK = 4;

/** The lanes and curves on screen; the line does not cross the names of groups. */
export function lanesOf({ placed, height }: Scene): readonly Strip[] {
  return placed.filter((each) => each.type !== "group" && inSight(each, height));
}

export function paintAligned(
  ctx: CanvasRenderingContext2D,
  { width, aligned, palette }: AlignedScene,
  scale: Scale,
  strips: readonly Strip[],
): void {
  if (!aligned) return;
  const x = snap(toX(scale, aligned.at_ns), deviceRatio(ctx)) + 0.5;
  if (x < 0 || x > width) return;
  ctx.save();
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1;
  ctx.setLineDash(DASH);
  for (const { y, height } of strips) {
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x, y + height);
    ctx.stroke();
  }
  ctx.restore();
}

/** The mark above the line, on the ruler. */
export function paintMark(
  ctx: CanvasRenderingContext2D,
  { width, aligned, palette }: AlignedScene,
  scale: Scale,
  bottom: number,
): void {
  const x = aligned ? toX(scale, aligned.at_ns) : -1;
  if (x < 0 || x > width) return;
  ctx.fillStyle = palette.accent;
  ctx.beginPath();
  ctx.moveTo(x - MARK, bottom - 2 * MARK);
  ctx.lineTo(x + MARK, bottom - 2 * MARK);
  ctx.lineTo(x, bottom);
  ctx.fill();
}
