/** Paints the minimap: the whole trace with steps, host and device activity, matches, the window. */

import { mixHex } from "../../../canvas/color";
import type { Palette } from "../../../canvas/palette";
import type { Layout } from "../data/messages";
import { deviceRatio, type Scale, scaleOf, snap, toX } from "../state/scale";
import type { Minimap, View } from "../state/types";

interface MinimapScene {
  width: number;
  height: number;
  minimap: Minimap;
  layout: Layout;
  view: View;
  /** Columns with matches of the search. */
  matches: readonly number[];
  palette: Palette;
}

const STEP_Y = 8;
const MATCH_Y = 13;
const MATCH_HEIGHT = 2;
const BANDS_Y = 17;
const MARGIN = 2;
const GAP = 2;
const LEAST_WINDOW = 9;
/** Heights and strengths are rounded to this many steps, so that equal neighbours share a rectangle. */
const STEPS = 12;

interface Band {
  y: number;
  height: number;
  /** Devices show activity by height, hosts by strength. */
  device: boolean;
}

export function paintMinimap(ctx: CanvasRenderingContext2D, scene: MinimapScene): void {
  const { width, height, layout } = scene;
  ctx.clearRect(0, 0, width, height);
  if (width <= 0 || layout.end_ns <= layout.start_ns) return;
  const scale = scaleOf(layout, width);
  const ratio = deviceRatio(ctx);
  paintSteps(ctx, scene, scale, ratio);
  paintBands(ctx, scene, ratio);
  paintMatches(ctx, scene, ratio);
  paintWindow(ctx, scene, scale, ratio);
}

function paintSteps(
  ctx: CanvasRenderingContext2D,
  { layout, palette, width, height }: MinimapScene,
  scale: Scale,
  ratio: number,
): void {
  ctx.font = palette.font;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  let free = 0;
  for (const { step, start_ns: start } of layout.steps) {
    const x = snap(toX(scale, start), ratio);
    const text = String(step);
    const right = x + 4 + ctx.measureText(text).width;
    if (x < free || right > width) continue;
    ctx.fillStyle = palette.line;
    ctx.fillRect(x, 0, 1, height);
    ctx.fillStyle = palette.muted;
    ctx.fillText(text, x + 4, STEP_Y);
    free = right + 4;
  }
}

export function bandsOf(scene: Pick<MinimapScene, "minimap" | "height">): Band[] {
  const { bands } = scene.minimap;
  const devices = bands.map(({ group }) => group.startsWith("device:"));
  const weight = (device: boolean) => (device ? 2 : 1);
  const parts = devices.reduce((sum, device) => sum + weight(device), 0);
  const room = scene.height - BANDS_Y - MARGIN - GAP * (bands.length - 1);
  let y = BANDS_Y;
  return devices.map((device) => {
    const height = Math.min(device ? 14 : 7, (room * weight(device)) / parts);
    const band = { y: Math.round(y), height: Math.max(1, Math.floor(height)), device };
    y += height + GAP;
    return band;
  });
}

function paintBands(ctx: CanvasRenderingContext2D, scene: MinimapScene, ratio: number): void {
  const { minimap, palette } = scene;
  const bands = bandsOf(scene);
  const column = scene.width / minimap.columns;
  const size = minimap.column.length;
  for (let at = 0; at < size; ) {
    const first = minimap.column[at] as number;
    const code = minimap.category[at] as number;
    const band = bands[minimap.band[at] as number];
    const share = steps(minimap.share[at] as number);
    let to = at + 1;
    while (
      to < size &&
      minimap.column[to] === first + to - at &&
      minimap.band[to] === minimap.band[at] &&
      minimap.category[to] === code &&
      steps(minimap.share[to] as number) === share
    ) {
      to += 1;
    }
    const left = snap(first * column, ratio);
    const right = Math.max(snap((first + to - at) * column, ratio), left + 1 / ratio);
    const color = palette.categories[code];
    if (band && color) paintRun(ctx, scene, band, left, right, share / STEPS, color, ratio);
    at = to;
  }
}

function steps(share: number): number {
  return Math.max(1, Math.round(Math.min(share, 1) * STEPS));
}

function paintRun(
  ctx: CanvasRenderingContext2D,
  { palette }: MinimapScene,
  band: Band,
  left: number,
  right: number,
  share: number,
  color: string,
  ratio: number,
): void {
  const bottom = band.y + band.height;
  const top = band.device ? snap(bottom - Math.max(1, share * band.height), ratio) : band.y;
  ctx.fillStyle = band.device ? color : weaker(color, palette.bg, 0.35 + 0.65 * share);
  ctx.fillRect(left, top, right - left, bottom - top);
}

const mixed = new Map<string, string>();

/** Mix a colour, cached: mixing takes longer than drawing, and there are few combinations. */
function weaker(color: string, bg: string, share: number): string {
  const key = `${color}${bg}${share.toFixed(3)}`;
  let result = mixed.get(key);
  if (result === undefined) {
    result = mixHex(color, bg, share);
    if (mixed.size > 1000) mixed.clear();
    mixed.set(key, result);
  }
  return result;
}

function paintMatches(ctx: CanvasRenderingContext2D, scene: MinimapScene, ratio: number): void {
  ctx.fillStyle = scene.palette.accent;
  let free = -1;
  for (const column of scene.matches) {
    const x = snap((column * scene.width) / scene.minimap.columns, ratio);
    // Adjacent ticks would look like one long match.
    if (x < free) continue;
    ctx.fillRect(x, MATCH_Y, 1, MATCH_HEIGHT);
    free = x + 2;
  }
}

function paintWindow(
  ctx: CanvasRenderingContext2D,
  { view, palette, width, height }: MinimapScene,
  scale: Scale,
  ratio: number,
): void {
  const from = Math.max(0, toX(scale, view.start_ns));
  const to = Math.min(width, toX(scale, view.end_ns));
  const across = Math.max(LEAST_WINDOW, to - from);
  // Keep it inside the strip at both ends.
  const left = Math.min(Math.max((from + to - across) / 2, 1), Math.max(1, width - across + 1));
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 2;
  ctx.lineJoin = "miter";
  const x = snap(left, ratio);
  ctx.strokeRect(x, 1, Math.max(1, Math.min(across, width) - 2), height - 2);
}
