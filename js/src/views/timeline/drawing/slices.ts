/** Paints the slices and blocks of all visible rows, their labels and match marks. */

import { LABEL_MARGIN, labelsOf } from "../../../drawing/labels";
import { FILLS, fillsOf } from "../../../fills/fills";
import { isBlock, type Piece, rowPieces, rowTop } from "../data/rows";
import { deviceRatio, type Scale, snap } from "../state/scale";
import type { PlacedLane, Scene } from "../state/types";
import { Rects } from "./rects";
import { blockFillOf, sliceFill } from "./slicefill";

/** Slices at least this wide, CSS px, leave a gap of one pixel to the next. */
const GAP_FROM = 3;
const LABEL_FROM = 26;
/** Lower rows have no labels, CSS px. */
const LABEL_HEIGHT = 11;
const MATCH_HEIGHT = 2;

interface Label {
  text: string;
  x: number;
  y: number;
  ink: string;
}

const rects = new Rects(FILLS);

/** Draw the slices of the placed lanes, their labels and the lines over matches. */
export function paintSlices(ctx: CanvasRenderingContext2D, scene: Scene, scale: Scale): void {
  const ratio = deviceRatio(ctx);
  const painter = new Painter(ctx, scene, scale, ratio);
  rects.clear();
  for (const placed of scene.placed) {
    if (placed.type !== "lane" || !inSight(placed, scene.height)) continue;
    for (let depth = 0; depth < placed.depths; depth += 1) {
      const y = snap(rowTop(placed, depth), ratio);
      if (y >= scene.height || y + placed.rowHeight <= 0) continue;
      painter.row(placed, placed.lane.first_row + depth, y);
    }
  }
  painter.draw();
}

export function inSight({ y, height }: { y: number; height: number }, of: number): boolean {
  return y < of && y + height > 0;
}

class Painter {
  readonly #labels: Label[] = [];
  readonly #matches: [x: number, y: number, width: number][] = [];
  readonly #left: number;
  readonly #right: number;
  readonly #gap: number;

  constructor(
    private readonly ctx: CanvasRenderingContext2D,
    private readonly scene: Scene,
    private readonly scale: Scale,
    private readonly ratio: number,
  ) {
    // In device pixels; slices that extend beyond the canvas are cut slightly outside of it.
    this.#left = -4 * ratio;
    this.#right = (scene.width + 4) * ratio;
    this.#gap = Math.max(1, Math.round(ratio));
  }

  row(placed: PlacedLane, row: number, y: number): void {
    let drawnTo = -Infinity;
    for (const piece of rowPieces(this.scene.levels, row, this.scene.view)) {
      drawnTo = this.#piece(piece, y, placed.rowHeight, drawnTo);
    }
  }

  /** Paint a piece; return the device pixel up to which the row is drawn, so that nothing overlaps. */
  #piece(piece: Piece, y: number, height: number, drawnTo: number): number {
    const { level, items, first, last } = piece;
    const { start, width, name, category } = items;
    const { dimmedCategories } = this.scene;
    const { ratio } = this;
    const perNs = this.scale.perNs * ratio;
    const origin = this.scale.view.start_ns;
    const gapFrom = GAP_FROM * ratio;
    const labelFrom = height < LABEL_HEIGHT ? Infinity : LABEL_FROM * ratio;
    const marks = this.scene.searching && level.matches.size > 0;
    let to = drawnTo;
    let entry = 0;
    for (let at = first; at < last; at += 1) {
      const from = start[at] as number;
      const end = from + (width[at] as number);
      let left = Math.round((Math.max(from, piece.low) - origin) * perNs);
      let right = Math.round((Math.min(end, piece.high) - origin) * perNs);
      if (left < this.#left) left = this.#left;
      if (right > this.#right) right = this.#right;
      if (right <= left) right = left + 1;
      const block = isBlock(name, at);
      if (marks && !block && level.matches.has(name[at] as number)) this.#mark(left, right, y);
      if (left < to) left = to;
      if (right <= left) continue;
      to = right;
      if (right - left >= gapFrom) right -= this.#gap;
      let fill: number;
      if (block) {
        while ((items.block[entry] as number) < at) entry += 1;
        const share = (items.busy_ns[entry] as number) / Math.max(end - from, 1);
        fill = blockFillOf(level, items, at, entry, share, dimmedCategories);
      } else {
        fill = sliceFill(level, items, at, dimmedCategories);
        if (right - left >= labelFrom) {
          const text = level.info.names[name[at] as number] ?? "";
          this.#label(text, category[at] as number, fill, left / ratio, right / ratio, y, height);
        }
      }
      rects.add(fill, left / ratio, y, (right - left) / ratio, height);
    }
    return to;
  }

  #label(
    name: string,
    category: number,
    fill: number,
    left: number,
    right: number,
    y: number,
    height: number,
  ): void {
    const x = Math.max(left, 0) + LABEL_MARGIN;
    const room = Math.min(right, this.scene.width) - LABEL_MARGIN - x;
    const { palette } = this.scene;
    const text = labelsOf(this.ctx, palette.font).fit(name, category, room);
    const ink = fillsOf(palette).inks[fill] as string;
    if (text) this.#labels.push({ text, x, y: y + height / 2 + 0.5, ink });
  }

  /** Mark a match, in device pixels; matches on adjacent pixels share one line. */
  #mark(left: number, right: number, y: number): void {
    const x = left / this.ratio;
    const width = Math.max(2, (right - left - this.#gap) / this.ratio);
    const before = this.#matches.at(-1);
    if (before && before[1] === y - MATCH_HEIGHT && x + width <= before[0] + before[2]) return;
    this.#matches.push([x, y - MATCH_HEIGHT, width]);
  }

  draw(): void {
    const { ctx } = this;
    const { palette } = this.scene;
    rects.fill(ctx, fillsOf(palette).colors);
    ctx.fillStyle = palette.accent;
    for (const [x, y, width] of this.#matches) ctx.fillRect(x, y, width, MATCH_HEIGHT);
    if (!this.#labels.length) return;
    ctx.font = palette.font;
    ctx.textAlign = "left";
    ctx.textBaseline = "middle";
    for (const ink of new Set(this.#labels.map((label) => label.ink))) {
      ctx.fillStyle = ink;
      for (const label of this.#labels) {
        if (label.ink === ink) ctx.fillText(label.text, label.x, label.y);
      }
    }
  }
}
