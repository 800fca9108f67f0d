/** `BlockChart`: the canvas of stacked blocks: what is in view, pointer, wheel and keys. */

import { readPalette } from "../../../canvas/palette";
import type { Context } from "../../../core/context";
import { setAttributes } from "../../../core/dom";
import { Layer } from "../../../drawing/layer";
import type { Hit, Level, Span } from "./level";
import { GUTTER, type Mark, Painter, RULER, TOP } from "./painter";

const HEIGHT = 340;
const DRAG = 4;
const ZOOM = 1.0015;
const STEP = 1.4;

interface BlockEvents {
  /** The range or the heights in view have changed. */
  moved(): void;
  /** A place was chosen, and what is there. */
  choose(place: number, hit: Hit | null): void;
  /** Move the cursor by events, or to a failed allocation, the peak or the end. */
  step(by: number | "oom" | "peak" | "end"): void;
  clear(): boolean;
  tip(hit: Hit): string;
  label(place: number): string;
}

export class BlockChart {
  readonly el: HTMLElement;
  readonly painter = new Painter();
  marks: readonly Mark[] = [];
  selected: number | null = null;
  #layer: Layer;
  #anchor: HTMLElement;
  #levels: readonly Level[] = [];
  #whole: Span = [0, 1];
  #top = 1;
  #view: Span | null = null;
  #bytes: Span | null = null;
  #hovered: string | null = null;
  #drag: { x: number; y: number; view: Span; bytes: Span; moved: boolean } | null = null;
  #asked = 0;

  constructor(
    private readonly ctx: Context,
    private readonly events: BlockEvents,
  ) {
    const { h, signal } = ctx;
    this.#layer = new Layer(ctx, {
      role: "application",
      "aria-roledescription": "chart of memory blocks",
      tabindex: 0,
    });
    this.#anchor = h("div", { class: "nbp-alloc-anchor" });
    this.#layer.el.append(this.#anchor);
    this.el = h("div", { class: "nbp-frame nbp-alloc-chart" }, this.#layer.el);
    this.el.style.height = `${HEIGHT}px`;
    const { canvas } = this.#layer;
    h.on(canvas, {
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: () => {
        this.#drag = null;
      },
      pointerleave: () => this.#tip(null, 0, 0),
      dblclick: (event) => this.#zoomTo(event),
      keydown: (event) => this.#key(event),
    });
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false, signal });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#asked), { once: true });
  }

  /** The canvas, for the Export menu. */
  get picture(): HTMLElement {
    return this.#layer.el;
  }

  set label(text: string) {
    setAttributes(this.#layer.canvas, { "aria-label": text });
  }

  get width(): number {
    return Math.max(120, Math.round(this.el.clientWidth || this.ctx.room()));
  }

  /** Pixel columns of the plot. */
  get columns(): number {
    return this.width - GUTTER;
  }

  get plotHeight(): number {
    return HEIGHT - TOP - RULER;
  }

  /** The range in view. */
  get view(): Span {
    return this.#view ?? this.#whole;
  }

  /** The heights in view, in bytes; null for all. */
  get bytes(): Span | null {
    return this.#bytes;
  }

  /** Set what can be seen: the whole range, the height of the peak, and the levels, coarse first. */
  show(whole: Span, top: number, levels: readonly Level[]): void {
    if (whole[0] !== this.#whole[0] || whole[1] !== this.#whole[1]) this.#view = null;
    this.#whole = whole;
    this.#top = Math.max(top * 1.04, 1);
    this.#levels = levels;
    this.redraw();
  }

  /** Draw in the next frame. */
  redraw(): void {
    if (this.#asked) return;
    this.#asked = requestAnimationFrame(() => {
      this.#asked = 0;
      this.draw();
    });
  }

  draw(): void {
    this.#layer.setSize(this.width, HEIGHT);
    const pen = this.#layer.pen();
    if (!pen || !this.#levels.length) return;
    this.painter.paint(pen, readPalette(this.ctx.root, this.ctx.theme()), {
      levels: this.#levels,
      view: this.view,
      bytes: this.#heights,
      width: this.width,
      height: HEIGHT,
      label: (place) => this.events.label(place),
      marks: this.marks,
      selected: this.selected,
    });
  }

  /** Show a range, at most the whole; null for the whole. */
  setView(span: Span | null): void {
    const [low, high] = this.#whole;
    if (span) {
      const length = Math.min(span[1] - span[0], high - low);
      const start = Math.min(Math.max(span[0], low), high - length);
      this.#view = length >= (high - low) * 0.9999 ? null : [start, start + length];
    } else this.#view = null;
    this.events.moved();
    this.redraw();
  }

  /** Show all heights, and the whole range. */
  reset(): void {
    this.#bytes = null;
    this.setView(null);
  }

  get isWhole(): boolean {
    return this.#view === null && this.#bytes === null;
  }

  get #heights(): Span {
    return this.#bytes ?? [0, this.#top];
  }

  #setHeights([low, high]: Span): void {
    const length = Math.min(high - low, this.#top);
    const start = Math.min(Math.max(low, 0), this.#top - length);
    this.#bytes = length >= this.#top * 0.9999 ? null : [start, start + length];
    this.events.moved();
    this.redraw();
  }

  #zoom(factor: number, at: number): void {
    const [start, end] = this.view;
    const least = (this.#whole[1] - this.#whole[0]) * 1e-9;
    const length = Math.max((end - start) / factor, least);
    const share = (at - start) / (end - start);
    this.setView([at - length * share, at + length * (1 - share)]);
  }

  #place(event: MouseEvent): { place: number; bytes: number; x: number; y: number } {
    const box = this.#layer.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const [start, end] = this.view;
    const [low, high] = this.#heights;
    return {
      x,
      y,
      place: start + ((x - GUTTER) / this.columns) * (end - start),
      bytes: low + ((TOP + this.plotHeight - y) / this.plotHeight) * (high - low),
    };
  }

  #hit(event: MouseEvent): Hit | null {
    const { place, bytes, x } = this.#place(event);
    if (x < GUTTER) return null;
    for (const level of [...this.#levels].reverse()) {
      if (place >= level.span[0] && place <= level.span[1]) return level.hit(place, bytes);
    }
    return null;
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const { x, y } = this.#place(event);
    this.#drag = { x, y, view: this.view, bytes: this.#heights, moved: false };
    this.#layer.canvas.setPointerCapture?.(event.pointerId);
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#place(event);
    const drag = this.#drag;
    if (drag && (drag.moved || Math.hypot(x - drag.x, y - drag.y) >= DRAG)) {
      drag.moved = true;
      this.#tip(null, 0, 0);
      const [start, end] = drag.view;
      const by = ((drag.x - x) / this.columns) * (end - start);
      if (this.#bytes) {
        const [low, high] = drag.bytes;
        const up = ((y - drag.y) / this.plotHeight) * (high - low);
        this.#setHeights([low + up, high + up]);
      }
      this.setView([start + by, end + by]);
      return;
    }
    const hit = this.#hit(event);
    this.#layer.canvas.style.cursor = hit ? "pointer" : "default";
    this.#tip(hit, x, y);
  }

  #up(event: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.moved) return;
    const { place, x } = this.#place(event);
    this.#tip(null, 0, 0);
    if (x >= GUTTER) this.events.choose(place, this.#hit(event));
  }

  #tip(hit: Hit | null, x: number, y: number): void {
    const key = hit && ("block" in hit ? `${hit.block.block}` : `rest${hit.column}`);
    if (key === this.#hovered) return;
    this.#hovered = key;
    if (hit) {
      this.#anchor.style.left = `${Math.max(0, x - 24)}px`;
      this.#anchor.style.top = `${y - 8}px`;
      this.#anchor.dataset.tip = this.events.tip(hit);
    } else delete this.#anchor.dataset.tip;
    // The widget's popup listens for this event.
    this.#anchor.dispatchEvent(new Event("pointerover", { bubbles: true }));
  }

  #zoomTo(event: MouseEvent): void {
    const hit = this.#hit(event);
    const level = this.#levels.at(-1);
    if (!hit || !("block" in hit) || !level) {
      this.#zoom(STEP * STEP, this.#place(event).place);
      return;
    }
    const at = level.find(hit.block.block);
    const of = level.runs.block.flatMap((block, run) => (block === at ? [run] : []));
    const place = (column: number) => level.span[0] + column * level.pixel;
    const start = Math.min(...of.map((run) => place(level.runs.from[run] as number)));
    const end = Math.max(...of.map((run) => place(level.runs.to[run] as number)));
    const margin = Math.max((end - start) * 0.1, level.pixel);
    this.setView([start - margin, end + margin]);
  }

  #wheel(event: WheelEvent): void {
    const { place, bytes } = this.#place(event);
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey || event.metaKey) this.#zoom(ZOOM ** -event.deltaY, place);
    else if (event.altKey) {
      const [low, high] = this.#heights;
      const factor = ZOOM ** event.deltaY;
      this.#setHeights([bytes - (bytes - low) * factor, bytes + (high - bytes) * factor]);
    } else if (event.shiftKey || sideways) {
      const [start, end] = this.view;
      const by = ((event.deltaX || event.deltaY) / this.columns) * (end - start);
      this.setView([start + by, end + by]);
    } else return;
    event.preventDefault();
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const [start, end] = this.view;
    const middle = (start + end) / 2;
    const pan = (share: number) => {
      const by = (end - start) * share;
      this.setView([start + by, end + by]);
    };
    const actions: Record<string, () => void> = {
      ArrowLeft: () => (event.shiftKey ? pan(-0.25) : this.events.step(-1)),
      ArrowRight: () => (event.shiftKey ? pan(0.25) : this.events.step(1)),
      a: () => pan(-0.25),
      d: () => pan(0.25),
      w: () => this.#zoom(STEP, middle),
      s: () => this.#zoom(1 / STEP, middle),
      "+": () => this.#zoom(STEP, middle),
      "-": () => this.#zoom(1 / STEP, middle),
      0: () => this.reset(),
      o: () => this.events.step("oom"),
      p: () => this.events.step("peak"),
      e: () => this.events.step("end"),
    };
    const act = actions[event.key];
    if (event.key === "Escape") {
      if (!this.events.clear()) return;
    } else if (act) act();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
