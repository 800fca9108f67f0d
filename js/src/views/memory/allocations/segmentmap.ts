/** `SegmentMap`: the segments of a moment as rows, with their blocks; what is empty is free. */

import { type Palette, readPalette } from "../../../canvas/palette";
import type { Context } from "../../../core/context";
import { setAttributes } from "../../../core/dom";
import type { Segments } from "../../../core/protocol/protocol";
import { Layer } from "../../../drawing/layer";
import { readRows } from "../../../values/arrow";
import { formatBytes, formatNumber, plural } from "../../../values/format";
import { fillOf } from "./painter";

const ROW = 18;
const BAR = 14;
const MOST = 320;

interface Segment {
  row: number;
  offset: number;
  bytes: number;
  address: number;
  stream: number;
  pool: string;
  occupied: number;
  gaps: number;
  largest: number;
}

interface Item {
  segment: number;
  offset: number;
  length: number;
  block: number;
  count: number;
  bytes: number;
  stack: string;
  slot: number;
  category: string;
  waiting: boolean;
}

export class SegmentMap {
  readonly el: HTMLElement;
  selected: number | null = null;
  /** The categories of the chart, whose colours blocks have, if any. */
  categories: readonly string[] = [];
  #layer: Layer;
  #sheet: HTMLElement;
  #anchor: HTMLElement;
  #info: Segments | null = null;
  #segments: Segment[] = [];
  #items: Item[] = [];
  #hovered: unknown = null;

  constructor(
    private readonly ctx: Context,
    private readonly choose: (block: number) => void,
  ) {
    const { h } = ctx;
    this.#layer = new Layer(ctx, { role: "img" });
    this.#anchor = h("div", { class: "nbp-alloc-anchor" });
    this.#layer.el.append(this.#anchor);
    this.#sheet = h("div", {}, this.#layer.el);
    this.el = h("div", { class: "nbp-frame nbp-alloc-map", tabindex: 0 }, this.#sheet);
    h.on(this.el, { scroll: () => this.draw() });
    h.on(this.#layer.canvas, {
      pointermove: (event) => this.#point(event),
      pointerleave: () => this.#tip(null, "", 0, 0),
      click: (event) => {
        const { item } = this.#hit(event);
        if (item) this.choose(item.block);
      },
    });
  }

  get picture(): HTMLElement {
    return this.#layer.el;
  }

  get width(): number {
    return Math.max(100, Math.round(this.el.clientWidth || this.ctx.room()));
  }

  show(info: Segments, [segments, items]: readonly Uint8Array[]): void {
    this.#info = info;
    const rows = readRows(segments ?? new Uint8Array());
    const number = (name: string, at: number) => rows.number(name, at) ?? 0;
    this.#segments = Array.from({ length: rows.length }, (_, at) => ({
      row: number("row", at),
      offset: number("offset", at),
      bytes: number("bytes", at),
      address: number("address", at),
      stream: number("stream", at),
      pool: info.pools[number("pool", at)] ?? "",
      occupied: number("occupied", at),
      gaps: number("gaps", at),
      largest: number("largest", at),
    }));
    const blocks = readRows(items ?? new Uint8Array());
    const value = (name: string, at: number) => blocks.number(name, at) ?? 0;
    this.#items = Array.from({ length: blocks.length }, (_, at) => {
      const stack = value("stack", at);
      return {
        segment: value("segment", at),
        offset: value("offset", at),
        length: value("length", at),
        block: value("block", at),
        count: value("count", at),
        bytes: value("bytes", at),
        stack: info.stacks[stack] ?? "",
        slot: info.slots[stack] ?? -1,
        category: info.item_categories[value("category", at)] ?? "",
        waiting: value("waiting", at) === 1,
      };
    });
    const words = `${plural(rows.length, "segment")}, ${formatBytes(info.reserved)}`;
    setAttributes(this.#layer.canvas, { "aria-label": `${words} in rows, with their blocks` });
    this.draw();
  }

  draw(): void {
    const info = this.#info;
    if (!info) return;
    const full = Math.max(info.rows, 1) * ROW + 4;
    const height = Math.min(full, MOST);
    this.el.style.height = `${height + 2}px`;
    this.#sheet.style.height = `${full}px`;
    this.#layer.setSize(this.width, height);
    const pen = this.#layer.pen();
    if (!pen) return;
    const palette = readPalette(this.ctx.root, this.ctx.theme());
    pen.clearRect(0, 0, this.width, height);
    const scale = this.#scale;
    const top = this.el.scrollTop;
    const at = (segment: Segment) => segment.row * ROW + 3 - top;
    for (const segment of this.#segments) {
      const y = at(segment);
      if (y + BAR < 0 || y > height) continue;
      const [x, width] = [segment.offset * scale, Math.max(1, segment.bytes * scale)];
      pen.fillStyle = palette.subtle;
      pen.fillRect(x, y, width, BAR);
    }
    for (const item of this.#items) {
      const segment = this.#segments[item.segment];
      if (!segment) continue;
      const y = at(segment);
      if (y + BAR < 0 || y > height) continue;
      const x = (segment.offset + item.offset) * scale;
      const width = Math.max(0.75, item.length * scale - (item.length * scale > 3 ? 0.75 : 0));
      pen.fillStyle = item.count > 1 ? palette.muted : fillOf(palette, this.#slot(item));
      pen.fillRect(x, y, width, BAR);
      if (item.waiting) stripes(pen, palette, x, y, width);
      if (item.block === this.selected) {
        pen.strokeStyle = palette.fg;
        pen.lineWidth = 2;
        pen.strokeRect(x, y, Math.max(2, width), BAR);
      }
    }
    for (const segment of this.#segments) {
      const y = at(segment);
      if (y + BAR < 0 || y > height) continue;
      pen.strokeStyle = segment.pool.startsWith("private") ? palette.accent : palette.lineStrong;
      pen.lineWidth = 1;
      const [x, width] = [segment.offset * scale, Math.max(1, segment.bytes * scale)];
      pen.strokeRect(x + 0.5, y + 0.5, Math.max(1, width - 1), BAR - 1);
    }
  }

  #slot({ category, slot }: Item): number {
    return this.categories.length ? this.categories.indexOf(category) : slot;
  }

  get #scale(): number {
    return this.width / Math.max(this.#info?.length ?? 1, 1);
  }

  #hit(event: MouseEvent): { segment: Segment | null; item: Item | null; x: number; y: number } {
    const box = this.#layer.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const row = Math.floor((y + this.el.scrollTop - 3) / ROW);
    const place = x / this.#scale;
    const at = this.#segments.findIndex(
      (one) => one.row === row && place >= one.offset && place <= one.offset + one.bytes,
    );
    const segment = this.#segments[at] ?? null;
    const reach = 1 / this.#scale;
    const inside = segment ? place - segment.offset : 0;
    const item = this.#items.find(
      (one) =>
        one.segment === at &&
        inside >= one.offset &&
        inside <= one.offset + Math.max(one.length, reach),
    );
    return { segment, item: item ?? null, x, y };
  }

  #point(event: PointerEvent): void {
    const { segment, item, x, y } = this.#hit(event);
    this.#layer.canvas.style.cursor = item ? "pointer" : "default";
    const text = item ? itemText(item) : segment ? segmentText(segment) : "";
    this.#tip(item ?? segment, text, x, y);
  }

  #tip(what: unknown, text: string, x: number, y: number): void {
    if (what === this.#hovered) return;
    this.#hovered = what;
    if (what && text) {
      this.#anchor.style.left = `${Math.max(0, x - 24)}px`;
      this.#anchor.style.top = `${y}px`;
      this.#anchor.dataset.tip = text;
    } else delete this.#anchor.dataset.tip;
    this.#anchor.dispatchEvent(new Event("pointerover", { bubbles: true }));
  }
}

function stripes(
  pen: CanvasRenderingContext2D,
  palette: Palette,
  x: number,
  y: number,
  width: number,
): void {
  pen.fillStyle = palette.bg;
  for (let at = x + 2; at < x + width; at += 5) pen.fillRect(at, y, 1.5, BAR);
}

function segmentText(one: Segment): string {
  const free = one.bytes - one.occupied;
  const share = formatNumber((100 * free) / Math.max(one.bytes, 1), 1);
  const stream = one.stream < 0 ? "" : `stream ${one.stream}`;
  return [
    `Segment 0x${one.address.toString(16)}, ${formatBytes(one.bytes)}`,
    `${formatBytes(free)} free (${share} %) in ${plural(one.gaps, "gap")}, the largest ${formatBytes(one.largest)}`,
    [one.pool && `${one.pool} pool`, stream].filter(Boolean).join(", "),
  ]
    .filter(Boolean)
    .join("\n");
}

function itemText(one: Item): string {
  if (one.count > 1)
    return `${plural(one.count, "block")} too narrow to tell apart, within ${formatBytes(one.length)}`;
  const state = one.waiting ? ", released, but still used by other streams" : "";
  return [
    `Block of ${formatBytes(one.bytes)}${state}`,
    ...(one.stack ? one.stack.split(";") : ["no stack was recorded"]),
  ].join("\n");
}
