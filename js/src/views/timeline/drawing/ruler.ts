/** Paints the ruler: steps and the selected area above, time ticks below. */
import type { Palette } from "../../../canvas/palette";
import type { UnitChoice } from "../../../values/format";
import type { Compared, Step } from "../data/messages";
import { deviceRatio, type Scale, scaleOf, snap, toX } from "../state/scale";
import type { Area, View } from "../state/types";
import { paintMark } from "./aligned";
import { formatSpan, ticks, tickText } from "./ticks";

export interface RulerScene {
  width: number;
  height: number;
  view: View;
  steps: readonly Step[];
  area: Area | null;
  aligned?: Compared | undefined;
  palette: Palette;
  unit: UnitChoice;
}

const STEP_Y = 10;
const MARGIN = 6;
const MAJOR = 8;
const MINOR = 4;

export function paintRuler(ctx: CanvasRenderingContext2D, ruler: RulerScene): void {
  ctx.clearRect(0, 0, ruler.width, ruler.height);
  if (ruler.width <= 0 || ruler.view.end_ns <= ruler.view.start_ns) return;
  const scale = scaleOf(ruler.view, ruler.width);
  const ratio = deviceRatio(ctx);
  ctx.textBaseline = "middle";
  paintArea(ctx, ruler, scale, ratio);
  paintTicks(ctx, ruler, scale, ratio);
  const taken = paintAreaLength(ctx, ruler, scale);
  paintSteps(ctx, ruler, scale, ratio, taken);
  paintMark(ctx, ruler, scale, ruler.height);
}

function paintArea(
  ctx: CanvasRenderingContext2D,
  { area, width, height, palette }: RulerScene,
  scale: Scale,
  ratio: number,
): void {
  if (!area) return;
  const [from, to] = [toX(scale, area.start_ns), toX(scale, area.end_ns)];
  const [left, right] = [Math.max(from, 0), Math.min(to, width)];
  ctx.fillStyle = palette.accentSoft;
  if (right > left) ctx.fillRect(left, 0, right - left, height);
  ctx.fillStyle = palette.accent;
  for (const x of [from, to]) if (x >= 0 && x <= width) ctx.fillRect(snap(x, ratio), 0, 1, height);
}

function paintTicks(
  ctx: CanvasRenderingContext2D,
  { view, width, height, palette, unit: choice }: RulerScene,
  scale: Scale,
  ratio: number,
): void {
  const { major, minor, step, unit } = ticks(view, width, choice);
  ctx.fillStyle = palette.line;
  for (const time of minor) ctx.fillRect(snap(toX(scale, time), ratio), height - MINOR, 1, MINOR);
  ctx.fillStyle = palette.lineStrong;
  for (const time of major) ctx.fillRect(snap(toX(scale, time), ratio), height - MAJOR, 1, MAJOR);
  ctx.font = palette.font;
  ctx.textAlign = "center";
  ctx.fillStyle = palette.muted;
  const y = height - MAJOR - 7;
  const labels = major.map((time) => {
    const text = tickText(time, step, unit);
    const half = ctx.measureText(text).width / 2 + 2;
    const at = toX(scale, time);
    const x = Math.min(Math.max(at, half), width - half);
    return { text, x, half, moved: x !== at };
  });
  for (const label of labels) {
    // A label moved inwards from an edge is dropped if it touches its neighbour.
    const hidden = labels.some(
      (other) =>
        !other.moved && label.moved && Math.abs(other.x - label.x) < other.half + label.half,
    );
    if (!hidden) ctx.fillText(label.text, label.x, y);
  }
}

/** Paint the area's length; return the text's extent, so that no step's name is written over it. */
function paintAreaLength(
  ctx: CanvasRenderingContext2D,
  { area, width, palette }: RulerScene,
  scale: Scale,
): [number, number] {
  const nowhere: [number, number] = [0, 0];
  if (!area || area.end_ns <= area.start_ns) return nowhere;
  const left = Math.max(0, toX(scale, area.start_ns));
  const right = Math.min(width, toX(scale, area.end_ns));
  if (right <= 0 || left >= width) return nowhere;
  const text = `${formatSpan(area.end_ns - area.start_ns)} selected`;
  ctx.font = palette.font;
  const half = ctx.measureText(text).width / 2 + MARGIN;
  const x = Math.min(Math.max((left + right) / 2, half), width - half);
  ctx.textAlign = "center";
  ctx.fillStyle = palette.fg;
  ctx.fillText(text, x, STEP_Y);
  return [x - half, x + half];
}

/** Write the names of steps: the host's in the ruler, a device's in its band. */
export function paintSteps(
  ctx: CanvasRenderingContext2D,
  { view, steps, width, height, palette }: Omit<RulerScene, "area" | "unit">,
  scale: Scale,
  ratio: number,
  [from, to]: [number, number],
  top = 0,
): void {
  ctx.font = `600 ${palette.font}`;
  ctx.textAlign = "left";
  let free = 0;
  for (const { step, start_ns: start, end_ns: end } of steps) {
    if (end <= view.start_ns || start >= view.end_ns) continue;
    const x = snap(toX(scale, start), ratio);
    ctx.fillStyle = palette.line;
    if (x >= 0) ctx.fillRect(x, top, 1, height);
    const left = Math.max(x, 0) + MARGIN;
    const right = Math.min(toX(scale, end), width);
    for (const text of [`Step ${step}`, `${step}`]) {
      const stop = left + ctx.measureText(text).width;
      if (left < free || stop > right - 2 || (left < to && stop > from)) continue;
      ctx.fillStyle = palette.fg;
      ctx.fillText(text, left, top + STEP_Y);
      free = stop + MARGIN;
      break;
    }
  }
}
