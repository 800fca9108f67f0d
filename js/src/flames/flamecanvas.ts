/** The canvas of the flame graph: scrolling, pointer and keys. */

import type { Palette } from "../canvas/palette";
import type { Context } from "../core/context";
import { setAttributes } from "../core/dom";
import { Layer } from "../drawing/layer";
import { paintFlame, ROW, rowTop, toX } from "./flamepainter";
import type { Frame, Frames, Span } from "./frames";

export interface ChartEvents {
  /** Called when a key moves to a frame. */
  go(frame: Frame): void;
  /** Zoom to a frame, or out with null. */
  zoom(frame: Frame | null): void;
  /** Undo the zoom or selection; return whether there was one. */
  escape(): boolean;
  show(): void;
  search(): void;
}

interface Drawn {
  frames: Frames;
  span: Span;
  searching: boolean;
  title: string;
  cursor: Frame | null;
  fillOf?: ((frame: Frame, dimmed: boolean) => number) | undefined;
  tip(frame: Frame): string;
}

/** Number of visible rows before the graph scrolls. */
const ROWS = 25;
/** Distance at which the pointer hits a narrow frame, CSS px. */
const REACH = 2;

export class Chart {
  /** The scrolling element. */
  readonly el: HTMLElement;
  #layer: Layer;
  #sheet: HTMLElement;
  #hover: HTMLElement;
  #mark: HTMLElement;
  /** The element at which the widget's popup places the tooltip. */
  #anchor: HTMLElement;
  #drawn: Drawn | null = null;
  #hovered: Frame | null = null;

  constructor(
    private readonly ctx: Context,
    private readonly events: ChartEvents,
  ) {
    const { h } = ctx;
    this.#layer = new Layer(ctx, {
      role: "application",
      "aria-roledescription": "flame graph",
      tabindex: 0,
    });
    this.#hover = h("div", { class: "nbp-flame-box", hidden: true });
    this.#mark = h("div", { class: "nbp-flame-box", "data-cursor": true, hidden: true });
    this.#anchor = h("div", { class: "nbp-flame-box", style: "border:0" });
    this.#layer.el.append(this.#mark, this.#hover, this.#anchor);
    this.#sheet = h("div", {}, this.#layer.el);
    this.el = h("div", { class: "nbp-frame nbp-flame" }, this.#sheet);
    h.on(this.#layer.canvas, {
      pointermove: (event) => this.#point(event),
      pointerleave: () => this.#setHover(null, 0),
      click: (event) => this.#click(event),
      keydown: (event) => this.#key(event),
    });
  }

  set label(text: string) {
    setAttributes(this.#layer.canvas, { "aria-label": text });
  }

  get width(): number {
    return Math.max(1, Math.round(this.el.clientWidth || this.ctx.room()));
  }

  /** First and last visible depth. */
  rowsInSight(): Span {
    const first = Math.max(0, Math.floor(this.el.scrollTop / ROW) - 1);
    return [first, first + ROWS];
  }

  draw(palette: Palette, drawn: Drawn): void {
    this.#drawn = drawn;
    const rows = (drawn.frames.info.depths ?? 0) + 1;
    const height = Math.min(rows, ROWS) * ROW;
    this.el.style.height = `${height + 2}px`;
    this.#sheet.style.height = `${rows * ROW}px`;
    this.#layer.setSize(this.width, height);
    const pen = this.#layer.pen();
    const { width } = this;
    const top = this.el.scrollTop;
    if (pen) paintFlame(pen, palette, { ...drawn, width, height, top });
    this.#outline(this.#mark, drawn.cursor);
    if (this.#hovered) this.#setHover(drawn.frames.same(this.#hovered), 0);
  }

  #outline(box: HTMLElement, frame: Frame | null): void {
    const { span } = this.#drawn ?? {};
    box.hidden = !frame || !span;
    if (!frame || !span) return;
    const left = Math.max(0, toX(frame.start, span, this.width));
    const right = Math.min(this.width, toX(frame.end, span, this.width));
    box.hidden = right < 0 || left > this.width;
    this.#place(box, left, Math.max(2, right - left), frame.depth);
  }

  #place({ style }: HTMLElement, left: number, width: number, depth: number): void {
    style.left = `${left}px`;
    style.width = `${width}px`;
    style.top = `${rowTop(depth) - this.el.scrollTop}px`;
  }

  /** The frame under the pointer; null on the bar for everything; undefined elsewhere. */
  #hit(event: MouseEvent): Frame | null | undefined {
    const drawn = this.#drawn;
    if (!drawn) return undefined;
    const box = this.#layer.canvas.getBoundingClientRect();
    const depth = Math.floor((event.clientY - box.top + this.el.scrollTop) / ROW) - 1;
    if (depth < 0) return null;
    const [start, end] = drawn.span;
    const unit = (end - start) / this.width;
    const place = start + (event.clientX - box.left) * unit;
    return drawn.frames.hit(depth, place, REACH * unit) ?? undefined;
  }

  #point(event: PointerEvent): void {
    const frame = this.#hit(event);
    this.#layer.canvas.style.cursor = frame === undefined ? "default" : "pointer";
    const box = this.#layer.canvas.getBoundingClientRect();
    this.#setHover(frame ?? null, event.clientX - box.left);
  }

  #setHover(frame: Frame | null, x: number): void {
    const same = frame === this.#hovered;
    this.#hovered = frame;
    this.#outline(this.#hover, frame);
    if (same) return;
    if (frame && this.#drawn) {
      this.#place(this.#anchor, Math.max(0, x - 24), 1, frame.depth);
      this.#anchor.dataset.tip = this.#drawn.tip(frame);
    } else delete this.#anchor.dataset.tip;
    // The widget's popup listens for this event.
    this.#anchor.dispatchEvent(new Event("pointerover", { bubbles: true }));
  }

  #click(event: MouseEvent): void {
    const frame = this.#hit(event);
    this.#setHover(null, 0); // another frame is under the pointer now
    if (frame !== undefined) this.events.zoom(frame);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const drawn = this.#drawn;
    if (!drawn) return;
    const { cursor, frames } = drawn;
    if (event.key.startsWith("Arrow")) {
      const [start, end] = drawn.span;
      const first = frames.at(0).find((frame) => frame.end > start && frame.start < end);
      const to = cursor ? frames.beside(cursor, event.key) : first;
      if (to) this.#goTo(to);
    } else if (event.key === "Enter" && cursor) this.events.zoom(cursor);
    else if (event.key === "Escape") {
      if (!this.events.escape()) return;
    } else if (event.key === "0") this.events.zoom(null);
    else if (event.key === "/") this.events.search();
    else if (event.key.toLowerCase() === "t" && cursor) this.events.show();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #goTo(frame: Frame): void {
    const top = rowTop(frame.depth);
    const { el } = this;
    if (top < el.scrollTop + ROW) el.scrollTop = top - ROW;
    else if (top + ROW > el.scrollTop + el.clientHeight) el.scrollTop = top + ROW - el.clientHeight;
    this.events.go(frame);
  }
}
