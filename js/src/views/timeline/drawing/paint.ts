/** Paints one frame of the lanes, layer by layer. */

import { paintNotes } from "../notes/paintnotes";
import { bandBottom, isDevice, pinnedBottom } from "../state/lanes/placement";
import { deviceRatio, type Scale, scaleOf } from "../state/scale";
import { onDevice } from "../state/scene";
import type { Scene } from "../state/types";
import { lanesOf, paintAligned } from "./aligned";
import { paintArrows } from "./arrows";
import { paintBackground, paintVeil } from "./background";
import { paintMeasure, paintOutlines } from "./marks";
import { paintSteps } from "./ruler";
import { paintSlices } from "./slices";
import { paintTracks } from "./tracks";

/**
 * Draw a scene onto a canvas that the caller has scaled to CSS pixels.
 *
 * The band of a group shows its name beside those of a device's steps. The band at the top covers
 * lanes, so its area is cleared first.
 */
export function paintLanes(ctx: CanvasRenderingContext2D, scene: Scene): void {
  ctx.clearRect(0, 0, scene.width, scene.height);
  if (scene.width <= 0 || scene.view.end_ns <= scene.view.start_ns) return;
  const scale = scaleOf(scene.view, scene.width);
  const { placed, width, height } = scene;
  const edge = pinnedBottom(placed);
  if (edge <= 0) paintItems(ctx, scene, scale);
  else {
    // Other lanes scroll away under the pinned ones.
    const pinned = placed.filter((item) => item.pinned);
    const scrolled = placed.filter((item) => !item.pinned);
    for (const [items, top, bottom] of [
      [pinned, 0, edge],
      [scrolled, edge, height],
    ] as const) {
      ctx.save();
      ctx.beginPath();
      ctx.rect(0, top, width, Math.max(0, bottom - top));
      ctx.clip();
      paintItems(ctx, { ...scene, placed: items }, scale);
      ctx.restore();
    }
  }
  paintArrows(ctx, scene, scale);
  ctx.clearRect(0, edge, width, bandBottom(placed) - edge);
  ctx.textBaseline = "middle";
  for (const band of scene.placed)
    if (band.type === "group" && isDevice(band))
      paintSteps(
        ctx,
        { ...scene, steps: onDevice(scene.stepsOf(band.group.key)), height: band.height },
        scale,
        deviceRatio(ctx),
        [0, 0],
        band.y,
      );
  paintMeasure(ctx, scene, scale);
}

function paintItems(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  paintBackground(ctx, scene, scale);
  paintSlices(ctx, scene, scale);
  paintTracks(ctx, scene, scale);
  paintVeil(ctx, scene, scale);
  paintAligned(ctx, scene, scale, lanesOf(scene));
  paintOutlines(ctx, scene, scale);
  paintNotes(ctx, scene, scale);
}
