/** Paints one frame of the lanes, layer by layer. */

import { bandBottom, isDevice } from "../state/placement";
import { deviceRatio, scaleOf } from "../state/scale";
import { onDevice } from "../state/scene";
import type { Scene } from "../state/types";
import { paintArrows } from "./arrows";
import { paintBackground, paintVeil } from "./background";
import { paintMeasure, paintOutlines } from "./marks";
import { paintSteps } from "./ruler";
import { paintSlices } from "./slices";
import { paintTracks } from "./tracks";

/**
 * Draw a scene onto a canvas that the caller has scaled to CSS pixels.
 *
 * Names of groups are in their bands, beside those of a device's steps. The band at the top covers
 * lanes, so its area is cleared first.
 */
export function paintLanes(ctx: CanvasRenderingContext2D, scene: Scene): void {
  ctx.clearRect(0, 0, scene.width, scene.height);
  if (scene.width <= 0 || scene.view.end_ns <= scene.view.start_ns) return;
  const scale = scaleOf(scene.view, scene.width);
  paintBackground(ctx, scene, scale);
  paintSlices(ctx, scene, scale);
  paintTracks(ctx, scene, scale);
  paintVeil(ctx, scene, scale);
  paintOutlines(ctx, scene, scale);
  paintArrows(ctx, scene, scale);
  ctx.clearRect(0, 0, scene.width, bandBottom(scene.placed));
  const steps = onDevice(scene.steps);
  ctx.textBaseline = "middle";
  for (const band of scene.placed)
    if (band.type === "group" && isDevice(band))
      paintSteps(
        ctx,
        { ...scene, steps, height: band.height },
        scale,
        deviceRatio(ctx),
        [0, 0],
        band.y,
      );
  paintMeasure(ctx, scene, scale);
}
