/** Places labels beside a donut without overlaps, as `nbprof/charts/donut/labels.py` does. */
import { formatPercent } from "../../values/format";
import { spread } from "./layout";
import { angles, type Slice } from "./slices";
import { fitText, textWidth } from "./textwidth";

const FEW = 9;
const LEAST = 1;
const ENOUGH = 14;
const LINE = 14;
const SPACE = 4;
const BEND = 6;
const GRAZE = 2;

type Point = [number, number];
type Align = "start" | "end";

/** The ring and the area around it; y grows upwards from the lower edge. */
export interface Frame {
  width: number;
  height: number;
  x: number;
  y: number;
  outer: number;
  inner: number;
  gap: number;
}

export function frameOf(width: number, height: number): Frame {
  const outer = Math.max(Math.min(height / 2 - 18, width * 0.16), 12);
  const gap = width >= 400 ? 22 : 16;
  return { width, height, x: width / 2, y: height / 2, outer, inner: outer * 0.66, gap };
}

interface Label {
  pct: string;
  pctAt: Point;
  pctAlign: Align;
  name: string;
  nameAt: Point;
  nameAlign: Align;
  leader: Point[];
  muted: boolean;
}

const roomOf = (frame: Frame) => frame.width / 2 - frame.outer - frame.gap - 2;
const percent = (share: number) => `${formatPercent(share)} %`;

/**
 * Place the remainder's label first, then the largest, muted ones last; among many slices those under
 * 1 % get none, unless others are muted.
 */
export function placeLabels(slices: readonly Slice[], frame: Frame): Label[] {
  const whole = slices.reduce((sum, { value }) => sum + value, 0);
  const middles = angles(slices.map(({ value }) => value)).map(([a, b]) => (a + b) / 2);
  if (slices.length === 1) middles[0] = 0;
  const middle = (at: number) => middles[at] ?? 0;
  const shares = slices.map(({ value }) => (100 * value) / whole);
  const share = (at: number) => shares[at] ?? 0;
  const isMuted = (at: number) => Number(slices[at]?.muted ?? false);
  let ranked = slices
    .map((_, at) => at)
    .sort(
      (a, b) =>
        isMuted(a) - isMuted(b) ||
        Number(slices[a]?.name !== "") - Number(slices[b]?.name !== "") ||
        share(b) - share(a),
    );
  const many = slices.length > FEW;
  const filtered = slices.some(({ muted }) => muted);
  if (many) ranked = ranked.filter((at) => share(at) >= LEAST || (filtered && !isMuted(at)));
  const stacked = ranked.some((at) => {
    const name = slices[at]?.label ?? "";
    const room = roomOf(frame) - textWidth(percent(share(at)), undefined, true) - SPACE;
    return fitText(name, room).length < Math.min(name.length, ENOUGH);
  });
  const pitch = LINE * (stacked ? 2 : 1);
  return [1, -1].flatMap((side) => {
    const here = ranked.filter((at) => Math.cos(middle(at)) >= 0 === side > 0);
    return heights(here, middle, frame, pitch, many).map(([at, y]) => {
      const slice = slices[at]?.label ?? "";
      const edge = edgeOf(middle(at), frame);
      const placed = label(slice, percent(share(at)), frame, side, y, edge, stacked);
      return { ...placed, muted: isMuted(at) > 0 };
    });
  });
}

/** The labelled slices of one side with their heights; some are dropped where lines would cross. */
function heights(
  ranked: readonly number[],
  middle: (at: number) => number,
  frame: Frame,
  pitch: number,
  many: boolean,
): [number, number][] {
  const margin = pitch / 2;
  const chosen = ranked.slice(0, Math.floor((frame.height - pitch) / pitch) + 1);
  for (;;) {
    const here = [...chosen].sort((a, b) => Math.sin(middle(a)) - Math.sin(middle(b)));
    const edges = here.map((at) => edgeOf(middle(at), frame));
    const wanted = edges.map(([, y]) => y);
    const places = spread(wanted, pitch, margin, frame.height - margin);
    const bad = edges.some((edge, at) => {
      const y = places[at] ?? 0;
      return crosses(edge, y, frame) || (many && Math.abs(edge[1] - y) > 2 * pitch);
    });
    if (!bad || !chosen.length) return here.map((at, index) => [at, places[index] ?? 0]);
    chosen.pop();
  }
}

/** Whether a leader line to this height would cross the ring. */
function crosses([ex, ey]: Point, y: number, frame: Frame): boolean {
  const [x0, y0] = [ex - frame.x, ey - frame.y];
  const dx = Math.sign(x0 || 1) * (frame.outer + frame.gap - BEND) - x0;
  const dy = y - frame.y - y0;
  const part = Math.min(Math.max(-(x0 * dx + y0 * dy) / (dx * dx + dy * dy), 0), 1);
  return Math.hypot(x0 + part * dx, y0 + part * dy) < frame.outer - GRAZE;
}

function edgeOf(middle: number, frame: Frame): Point {
  const reach = frame.outer + 2;
  return [frame.x + reach * Math.cos(middle), frame.y + reach * Math.sin(middle)];
}

function label(
  name: string,
  pct: string,
  frame: Frame,
  side: number,
  y: number,
  edge: Point,
  stacked: boolean,
): Omit<Label, "muted"> {
  const x = frame.x + side * (frame.outer + frame.gap);
  const leader: Point[] = [edge, [x - side * BEND, y], [x - side * 3, y]];
  const [near, far]: Align[] = side > 0 ? ["start", "end"] : ["end", "start"];
  const shared = { pct, leader, nameAlign: near as Align };
  if (stacked) {
    const cut = fitText(name, roomOf(frame));
    return {
      ...shared,
      pctAt: [x, y + 6],
      pctAlign: near as Align,
      name: cut,
      nameAt: [x, y - 6.5],
    };
  }
  // Both texts are anchored where they meet, so that a wider font grows outwards.
  const meet = x + side * textWidth(pct, undefined, true);
  const cut = fitText(name, roomOf(frame) - Math.abs(meet - x) - SPACE);
  const nameAt: Point = [meet + side * SPACE, y];
  return { ...shared, pctAt: [meet, y], pctAlign: far as Align, name: cut, nameAt };
}
