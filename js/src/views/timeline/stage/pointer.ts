/** Pointer gestures on the lanes and the ruler: drag, wheel, pinch, click and hover. */
import * as camera from "../state/camera";
import type { Controller } from "../state/controller";
import type { Area, Hit, View } from "../state/types";
import { CLICK, capture, listen } from "./gestures";
import { turnOf } from "./wheel";

/** A click this close to the end of a slice, px, measures from that end. */
const SNAP = 6;

interface Surface {
  /** Width of the canvas, CSS px. */
  width(): number;
  /** The slice, block or lane at a point; null outside of lanes and on the ruler. */
  hit(x: number, y: number): Hit | null;
  /** Upper and lower edge of the lane at a height. */
  box(y: number): { top: number; bottom: number } | null;
  /** Handle a click outside of lanes; return whether it did something. */
  click(at: Point): boolean;
  /** Keys of the lanes between two heights, empty for all; null where there are none. */
  lanes(one: number, other: number): string[] | null;
}

type Point = { x: number; y: number };
type Drag =
  | { kind: "press" | "pan"; from: Point; view: View; scrollTop: number }
  | { kind: "area"; from: Point; moved: boolean };

export class Pointer {
  #points = new Map<number, Point>();
  #drag: Drag | null = null;
  #pinch: { span: number; at_ns: number; view: View } | null = null;

  constructor(
    private readonly el: HTMLElement,
    private readonly timeline: Controller,
    private readonly surface: Surface,
    signal: AbortSignal,
  ) {
    listen(el, signal, {
      wheel: (event) => this.#wheel(event),
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: (event) => this.#cancel(event),
      pointerleave: () => this.timeline.setHovered(null, null),
      dblclick: (event) => this.#zoomToHit(this.#at(event)),
    });
    // When the page scrolls, the item under the pointer moves away.
    const away = () => this.timeline.setHovered(null, null);
    document.addEventListener("scroll", away, { signal, capture: true, passive: true });
  }

  #wheel(event: WheelEvent): void {
    const turn = turnOf(event);
    if (!turn) return;
    event.preventDefault();
    if ("zoom" in turn) this.timeline.zoom(turn.zoom, this.#time(this.#at(event).x));
    else this.timeline.pan(turn.pan / this.surface.width());
    this.#hover(this.#at(event)); // the content under the pointer has changed
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const at = this.#at(event);
    this.#points.set(event.pointerId, at);
    capture(this.el, event.pointerId);
    this.timeline.setHovered(null, null);
    if (this.#points.size === 2) this.#startPinch();
    if (this.#points.size > 1) return;
    if (event.shiftKey) this.#drag = { kind: "area", from: at, moved: false };
    else {
      const { view } = this.timeline.state;
      this.#drag = { kind: "press", from: at, view, scrollTop: this.timeline.lanes.scrollTop };
    }
  }

  #move(event: PointerEvent): void {
    const at = this.#at(event);
    if (!this.#points.has(event.pointerId)) {
      this.#hover(at);
      return;
    }
    this.#points.set(event.pointerId, at);
    if (this.#pinch) this.#movePinch();
    const drag = this.#drag;
    if (!drag) return;
    const far = Math.hypot(at.x - drag.from.x, at.y - drag.from.y) >= CLICK;
    if (drag.kind === "area") {
      if (drag.moved && !this.timeline.draft)
        this.#drag = null; // Escape has cancelled it
      else if (far || drag.moved) {
        drag.moved = true;
        this.timeline.setDraft(this.#area(drag.from, at));
      }
      return;
    }
    if (drag.kind === "press" && far) {
      drag.kind = "pan";
      this.el.style.cursor = "grabbing";
    }
    if (drag.kind === "pan") this.#pan(drag, at);
  }

  #up(event: PointerEvent): void {
    const at = this.#at(event);
    const drag = this.#drag;
    const pinched = this.#pinch !== null;
    this.#cancel(event);
    if (!drag || pinched) return;
    if (drag.kind === "press") this.#click(at);
    else if (drag.kind === "area") {
      if (drag.moved) {
        this.timeline.selectArea(this.#area(drag.from, at));
        this.el.focus({ preventScroll: true }); // Enter makes the range the filter
      } else this.#click(at);
    }
  }

  #cancel(event: PointerEvent): void {
    this.#points.delete(event.pointerId);
    if (this.#points.size < 2) this.#pinch = null;
    this.#drag = null;
    this.el.style.cursor = "";
    if (event.type === "pointercancel") this.timeline.setDraft(null);
  }

  #pan(drag: { from: Point; view: View; scrollTop: number }, at: Point): void {
    const by = ((drag.from.x - at.x) / this.surface.width()) * camera.span(drag.view);
    this.timeline.setView(camera.panBy(drag.view, this.timeline.trace, by));
    this.timeline.lanes.scrollTo(drag.scrollTop + drag.from.y - at.y);
  }

  #click(at: Point): void {
    if (this.timeline.state.measuring) {
      this.#measure(at);
      return;
    }
    if (this.surface.click(at)) return;
    const hit = this.surface.hit(at.x, at.y);
    const block = hit && hit.count > 1 ? hit : null;
    this.timeline.select(block ? null : (hit?.slice ?? null), block);
  }

  #measure(at: Point): void {
    const { measure } = this.timeline.state;
    const time = this.#snapped(at);
    // A measure is finished by the second click.
    const open = measure !== null && this.timeline.measureOpen;
    this.timeline.setMeasure({ from_ns: open ? measure.from_ns : time, to_ns: time }, !open);
  }

  #hover(at: Point): void {
    const { measuring, measure } = this.timeline.state;
    if (measuring && measure && this.timeline.measureOpen)
      this.timeline.setMeasure({ from_ns: measure.from_ns, to_ns: this.#snapped(at) }, true);
    this.timeline.setHovered(this.surface.hit(at.x, at.y), at, this.surface.box(at.y));
  }

  #zoomToHit(at: Point): void {
    const hit = this.surface.hit(at.x, at.y);
    if (!hit?.span) return;
    this.timeline.zoomTo(hit.span);
  }

  #startPinch(): void {
    this.#drag = null;
    this.timeline.setDraft(null);
    const { middle, span } = this.#fingers();
    this.#pinch = { span, at_ns: this.#time(middle), view: this.timeline.state.view };
  }

  /** Pinch: the time between the fingers stays between them. */
  #movePinch(): void {
    if (!this.#pinch) return;
    const { middle, span } = this.#fingers();
    const { view, at_ns } = this.#pinch;
    const length = camera.span(view) * (this.#pinch.span / span);
    const start_ns = at_ns - (middle / this.surface.width()) * length;
    this.timeline.setView({ start_ns, end_ns: start_ns + length });
  }

  #fingers(): { middle: number; span: number } {
    const [one, other] = [...this.#points.values()];
    const a = one?.x ?? 0;
    const b = other?.x ?? 0;
    return { middle: (a + b) / 2, span: Math.max(8, Math.abs(a - b)) };
  }

  #area(from: Point, to: Point): Area | null {
    const times = [this.#time(from.x), this.#time(to.x)];
    const { start_ns, end_ns } = this.timeline.trace;
    const inside = (time: number) => Math.max(start_ns, Math.min(time, end_ns));
    const first = Math.round(inside(Math.min(...times)));
    const last = Math.round(inside(Math.max(...times)));
    const lanes = this.surface.lanes(from.y, to.y);
    return lanes && last > first ? { start_ns: first, end_ns: last, lanes } : null;
  }

  /** The time at a point; near the end of a slice, that end. */
  #snapped(at: Point): number {
    const time = this.#time(at.x);
    const reach = (SNAP / this.surface.width()) * camera.span(this.timeline.state.view);
    const ends = [0, -SNAP, SNAP].flatMap((aside) => {
      const span = this.surface.hit(at.x + aside, at.y)?.span;
      return span ? [span.start_ns, span.end_ns] : [];
    });
    const apart = (end: number) => Math.abs(end - time);
    const [nearest] = ends.sort((a, b) => apart(a) - apart(b));
    return nearest !== undefined && apart(nearest) <= reach ? nearest : Math.round(time);
  }

  #time(x: number): number {
    return camera.toTime(this.timeline.state.view, this.surface.width(), x);
  }

  #at(event: MouseEvent): Point {
    const box = this.el.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}
