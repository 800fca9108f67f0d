/** Paints the layer behind the slices: grid lines at the ruler's ticks, steps, the selected area. */

import { groupOf, isDevice, lanesOf } from "../state/lanes/placement";
import { deviceRatio, type Scale, snap, toX } from "../state/scale";
import { onDevice } from "../state/scene";
import type { Area, Placed, Scene } from "../state/types";
import { inSight } from "./slices";
import { ticks } from "./ticks";

export function paintBackground(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  const ratio = deviceRatio(ctx);
  const { palette, view, width } = scene;
  const grid = ticks(view, width).major.map((time) => snap(toX(scale, time), ratio));
  const starts = (band: Placed) => {
    const steps = scene.stepsOf(groupOf(band));
    return (isDevice(band) ? onDevice(steps) : steps)
      .filter(({ start_ns: start }) => start > view.start_ns && start < view.end_ns)
      .map(({ start_ns: start }) => snap(toX(scale, start), ratio));
  };
  const bands = scene.placed.filter((each) => each.type !== "group" && inSight(each, scene.height));
  const hairline = 1 / Math.max(1, Math.round(ratio));
  for (const band of bands) {
    const top = snap(band.y, ratio);
    const height = snap(band.y + band.height, ratio) - top;
    ctx.fillStyle = palette.grid;
    for (const x of grid) ctx.fillRect(x, top, 1, height);
    ctx.fillStyle = palette.line;
    for (const x of starts(band)) ctx.fillRect(x, top, 1, height);
    if (scene.area && areaHas(scene.area, band)) {
      const from = Math.max(0, toX(scale, scene.area.start_ns));
      const to = Math.min(width, toX(scale, scene.area.end_ns));
      ctx.fillStyle = palette.accentSoft;
      ctx.globalAlpha = 0.5;
      if (to > from) ctx.fillRect(from, top, to - from, height);
      ctx.globalAlpha = 1;
    }
    ctx.fillStyle = palette.grid;
    ctx.fillRect(0, top, width, Math.max(hairline, 1));
  }
}

/** Curves belong only to areas over all lanes. */
function areaHas(area: Area, placed: Placed): boolean {
  return (
    !area.lanes.length ||
    (placed.type === "lane" && lanesOf(placed).some(({ key }) => area.lanes.includes(key)))
  );
}

/** Fade the time outside of the filter's range. */
export function paintVeil(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  const ratio = deviceRatio(ctx);
  const edge = (ns: number) => snap(Math.min(scene.width, Math.max(0, toX(scale, ns))), ratio);
  for (const placed of scene.placed) {
    if (placed.type === "group" || !inSight(placed, scene.height)) continue;
    const filtered = scene.filtered(groupOf(placed));
    if (!filtered) continue;
    const from = edge(filtered.start_ns);
    const to = edge(filtered.end_ns);
    ctx.fillStyle = scene.palette.bg;
    ctx.globalAlpha = 0.68;
    if (from > 0) ctx.fillRect(0, placed.y, from, placed.height);
    if (to < scene.width) ctx.fillRect(to, placed.y, scene.width - to, placed.height);
    ctx.globalAlpha = 1;
    ctx.fillStyle = scene.palette.lineStrong;
    if (from > 0 && from < scene.width) ctx.fillRect(from, placed.y, 1, placed.height);
    if (to > 0 && to < scene.width) ctx.fillRect(to - 1, placed.y, 1, placed.height);
  }
}
