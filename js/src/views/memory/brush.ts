/** `Brush`: the overlay of the memory curve: brushed range, marks of blocks, value at the pointer. */
import type { Context } from "../../core/context";
import { fill } from "../../core/dom";

/** The plot area of the curve in its figure, CSS px, and the values at its edges. */
export interface Plane {
  left: number;
  right: number;
  top: number;
  bottom: number;
  start_us: number;
  end_us: number;
  /** Bytes per unit of the axis. */
  bytes: number;
}

/** A block of memory: when it was allocated and released, where known. */
export interface Mark {
  start: number | null;
  end: number | null;
  text: string;
}

export type TimeRange = [start_us: number, end_us: number];

/** A shorter movement is a click, CSS px. */
const DRAG = 4;
/** Distance between marks, CSS px. */
const PITCH = 20;
const MOST_MARKS = 6;
/** Distance of the text from the pointer, CSS px. */
const BESIDE = 6;

export class Brush {
  readonly el: HTMLElement;
  #tint: HTMLElement;
  #marks: HTMLElement;
  #line: HTMLElement;
  #value: HTMLElement;
  #plane: Plane | null = null;
  #shown: TimeRange | null = null;
  #drawn: readonly Mark[] = [];
  #from: number | null = null;

  /**
   * @param choose - called with a range that was brushed, or null after a click
   * @param read - returns the text for the time at the pointer
   */
  constructor(
    private readonly ctx: Context,
    private readonly choose: (range: TimeRange | null) => void,
    private readonly read: (time_us: number) => string,
  ) {
    const { h } = ctx;
    this.#tint = h("div", { class: "nbp-brushed", hidden: true });
    this.#marks = h("div");
    this.#value = h("span");
    this.#line = h("div", { class: "nbp-pointed", hidden: true }, this.#value);
    this.el = h(
      "div",
      { class: "nbp-brush", "aria-hidden": "true" },
      this.#tint,
      this.#line,
      this.#marks,
    );
    h.on(this.el, {
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: () => this.#stop(),
      pointerleave: () => {
        this.#line.hidden = true;
      },
    });
  }

  setPlane(plane: Plane | null): void {
    this.#plane = plane;
    this.el.hidden = plane === null;
    this.show(this.#shown);
    this.mark(this.#drawn);
  }

  /** Tint a range. */
  show(range: TimeRange | null): void {
    this.#shown = range;
    this.#paint(range);
  }

  /** Mark blocks: a line from allocation to release, open where one is not known. */
  mark(marks: readonly Mark[]): void {
    this.#drawn = marks;
    const { h } = this.ctx;
    const plane = this.#plane;
    if (!plane) return;
    const lines = marks.slice(0, MOST_MARKS).flatMap(({ start, end, text }, index) => {
      const [first, last] = [start ?? plane.start_us, end ?? plane.end_us];
      if (last < plane.start_us || first > plane.end_us) return [];
      const left = this.#pixel(Math.max(first, plane.start_us));
      const right = this.#pixel(Math.min(last, plane.end_us));
      const dot = (time: number | null, kind: string) =>
        time !== null && time >= plane.start_us && time <= plane.end_us
          ? h("i", { "data-dot": kind })
          : null;
      const style = `left:${left}px;width:${right - left}px;bottom:${plane.bottom + 10 + PITCH * index}px`;
      const room = this.el.clientWidth;
      const words = h("span", {}, text);
      // Centred over the line, but inside the figure.
      const middle = Math.min(Math.max((left + right) / 2, 70), Math.max(room - 70, 70));
      words.style.left = `${middle - left}px`;
      return h(
        "div",
        { class: "nbp-lifetime", style },
        dot(start, "start"),
        dot(end, "end"),
        words,
      );
    });
    fill(this.#marks, lines);
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 || !this.#plane) return;
    this.#from = this.#time(event);
    this.el.setPointerCapture?.(event.pointerId);
    event.preventDefault(); // so that no text is selected
  }

  #move(event: PointerEvent): void {
    if (!this.#plane) return;
    const time = this.#time(event);
    if (this.#from !== null) this.#paint(ordered(this.#from, time));
    const x = this.#pixel(time);
    this.#line.hidden = false;
    this.#line.style.left = `${x}px`;
    this.#value.textContent = this.read(time);
    // On the side with more room, but inside the figure.
    const room = this.el.clientWidth;
    const { offsetWidth } = this.#value;
    const beside = x > room / 2 ? x - BESIDE - offsetWidth : x + BESIDE;
    this.#value.style.left = `${Math.max(0, Math.min(beside, room - offsetWidth - 2)) - x}px`;
  }

  #up(event: PointerEvent): void {
    const from = this.#from;
    this.#from = null;
    if (from === null || !this.#plane) return;
    const time = this.#time(event);
    const moved = Math.abs(this.#pixel(time) - this.#pixel(from));
    this.choose(moved < DRAG ? null : ordered(from, time));
    this.show(this.#shown);
  }

  /** End a drag and restore the range from before it; return whether there was a drag. */
  #stop(): void {
    this.#from = null;
    this.show(this.#shown);
  }

  #paint(range: TimeRange | null): void {
    const plane = this.#plane;
    const there = plane && range && range[1] > plane.start_us && range[0] < plane.end_us;
    this.#tint.hidden = !there;
    if (!there) return;
    const left = this.#pixel(Math.max(range[0], plane.start_us));
    const right = this.#pixel(Math.min(range[1], plane.end_us));
    this.#tint.style.left = `${left}px`;
    this.#tint.style.width = `${Math.max(1, right - left)}px`;
    this.#tint.style.top = `${plane.top - 18}px`;
    this.#tint.style.bottom = `${plane.bottom}px`;
  }

  #pixel(time: number): number {
    const { left, right, start_us, end_us } = this.#plane as Plane;
    const width = this.el.clientWidth - left - right;
    return left + ((time - start_us) / (end_us - start_us)) * width;
  }

  #time(event: PointerEvent): number {
    const { left, right, start_us, end_us } = this.#plane as Plane;
    const box = this.el.getBoundingClientRect();
    const part = (event.clientX - box.left - left) / (box.width - left - right);
    return start_us + Math.min(1, Math.max(0, part)) * (end_us - start_us);
  }
}

function ordered(a: number, b: number): TimeRange {
  return a <= b ? [a, b] : [b, a];
}
