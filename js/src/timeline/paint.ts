/** One frame of the lanes. */
import { paintArrows } from "./arrows";
import { paintBackground, paintVeil } from "./background";
import { paintMeasure, paintOutlines } from "./marks";
import { bandBottom } from "./placement";
import { scaleOf } from "./scale";
import { paintSlices } from "./slices";
import { paintTracks } from "./tracks";
import type { Scene } from "./types";

/**
 * Draw a scene onto a canvas that the caller has scaled to CSS pixels.
 *
 * The bands of groups stay clear: what stands there is not drawn here. The one at the top covers
 * lanes, so what was drawn there is taken away.
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
  paintMeasure(ctx, scene, scale);
}
