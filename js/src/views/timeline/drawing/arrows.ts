/** Paints arrows between related slices, such as from a launch to its kernel. */

import type { Arrow } from "../data/messages";
import { findRow, rowTop } from "../data/rows";
import { pinnedBottom } from "../state/lanes/placement";
import { type Scale, toX } from "../state/scale";
import type { Scene } from "../state/types";

const HEAD = 6;
const DOT = 2.5;
/** Distance outside of the canvas, px, at which far ends are cut, since a long curve loses its shape. */
const OUTSIDE = 40;

interface Band {
  top: number;
  bottom: number;
}

export function paintArrows(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  // Arrows of whole kinds are many: they are thin, and below those of the selected slice.
  for (const arrow of scene.flows) {
    const from = bandOf(scene, arrow.from_row);
    const to = bandOf(scene, arrow.to_row);
    if (from && to) paintArrow(ctx, scene, scale, arrow, from, to, true);
  }
  for (const arrow of scene.arrows) {
    const from = bandOf(scene, arrow.from_row);
    const to = bandOf(scene, arrow.to_row);
    if (from && to) paintArrow(ctx, scene, scale, arrow, from, to);
  }
}

function bandOf(scene: Scene, row: number): Band | null {
  const place = findRow(scene.placed, row);
  if (!place) return null;
  const top = rowTop(place.lane, place.depth);
  // Rows that are scrolled under the pinned lanes have no arrows.
  if (!place.lane.pinned && top < pinnedBottom(scene.placed)) return null;
  return { top, bottom: top + place.lane.rowHeight };
}

function paintArrow(
  ctx: CanvasRenderingContext2D,
  scene: Scene,
  scale: Scale,
  arrow: Arrow,
  from: Band,
  to: Band,
  thin = false,
): void {
  const clamp = (x: number) => Math.min(Math.max(x, -OUTSIDE), scene.width + OUTSIDE);
  const x1 = clamp(toX(scale, arrow.from_ns));
  const x2 = clamp(toX(scale, arrow.to_ns));
  if ((x1 < 0 && x2 < 0) || (x1 > scene.width && x2 > scene.width)) return;
  const down = to.top >= from.bottom;
  const up = to.bottom <= from.top;
  // Within one row the curve leaves at the bottom and returns from below.
  const y1 = up ? from.top - 1 : from.bottom + 1;
  const y2 = down ? to.top : to.bottom;
  const leaves = up ? -1 : 1;
  const enters = down ? 1 : -1;
  const bend = Math.min(40, Math.max(14, Math.abs(y2 - y1) * 0.4));
  const curve = () => {
    ctx.beginPath();
    ctx.moveTo(x1, y1);
    const tip = y2 - enters * (HEAD - 1);
    ctx.bezierCurveTo(x1, y1 + leaves * bend, x2, tip - enters * bend, x2, tip);
    ctx.stroke();
  };
  ctx.lineCap = "round";
  if (!thin) {
    ctx.strokeStyle = scene.palette.bg;
    ctx.lineWidth = 4;
    ctx.globalAlpha = 0.8;
    curve();
  }
  ctx.globalAlpha = thin ? 0.55 : 1;
  ctx.strokeStyle = scene.palette.fg;
  ctx.fillStyle = scene.palette.fg;
  ctx.lineWidth = thin ? 0.75 : 1.5;
  // Forward does not launch backward, so the line is dashed.
  ctx.setLineDash(arrow.kind === "fwdbwd" ? [5, 4] : []);
  curve();
  ctx.setLineDash([]);
  ctx.lineCap = "butt";
  ctx.beginPath();
  ctx.moveTo(x2, y2);
  ctx.lineTo(x2 - HEAD * 0.6, y2 - enters * HEAD);
  ctx.lineTo(x2 + HEAD * 0.6, y2 - enters * HEAD);
  ctx.fill();
  if (!thin) {
    ctx.beginPath();
    ctx.arc(x1, y1, DOT, 0, 2 * Math.PI);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}
