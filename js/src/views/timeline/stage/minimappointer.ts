/** Pointer gestures on the minimap: move the window, or draw a new one. */
import * as camera from "../state/camera";
import type { Controller } from "../state/controller";
import type { View } from "../state/types";
import { CLICK, capture, listen } from "./gestures";
import { turnOf } from "./wheel";

/** A window narrower than this, px, can also be grabbed beside it. */
const HOLD = 10;

type Drag = { kind: "move" | "draw"; from: number; view: View; moved: boolean };

export class MinimapPointer {
  #drag: Drag | null = null;

  constructor(
    private readonly el: HTMLElement,
    private readonly timeline: Controller,
    private readonly width: () => number,
    signal: AbortSignal,
  ) {
    listen(el, signal, {
      wheel: (event) => this.#wheel(event),
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event),
      pointercancel: () => {
        this.#drag = null;
      },
    });
  }

  #wheel(event: WheelEvent): void {
    const turn = turnOf(event);
    if (!turn) return;
    event.preventDefault();
    if ("zoom" in turn) this.timeline.zoom(turn.zoom);
    else this.timeline.pan(turn.pan / this.width());
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0) return;
    const from = this.#x(event);
    const { view } = this.timeline.state;
    this.#drag = { kind: this.#holds(from) ? "move" : "draw", from, view, moved: false };
    capture(this.el, event.pointerId);
  }

  #move(event: PointerEvent): void {
    const drag = this.#drag;
    const x = this.#x(event);
    if (!drag) {
      this.el.style.cursor = this.#holds(x) ? "grab" : "crosshair";
      return;
    }
    if (!drag.moved && Math.abs(x - drag.from) < CLICK) return;
    drag.moved = true;
    if (drag.kind === "move") {
      const by = ((x - drag.from) / this.width()) * camera.span(this.timeline.trace);
      this.timeline.setView(camera.panBy(drag.view, this.timeline.trace, by));
    } else {
      const ends = [this.#time(drag.from), this.#time(x)];
      this.timeline.setView({ start_ns: Math.min(...ends), end_ns: Math.max(...ends) });
    }
  }

  /** End a gesture; a click centres the window there. */
  #up(event: PointerEvent): void {
    const drag = this.#drag;
    this.#drag = null;
    if (!drag || drag.moved) return;
    const half = camera.span(drag.view) / 2;
    const at = this.#time(this.#x(event));
    this.timeline.setView({ start_ns: at - half, end_ns: at + half });
  }

  /** Whether the window can be grabbed at x; that of the whole trace cannot be moved. */
  #holds(x: number): boolean {
    const { view } = this.timeline.state;
    const { trace } = this.timeline;
    if (camera.span(view) >= camera.span(trace)) return false;
    const left = camera.toX(trace, this.width(), view.start_ns);
    const right = camera.toX(trace, this.width(), view.end_ns);
    const beside = Math.max(0, (HOLD - (right - left)) / 2);
    return x >= left - beside && x <= right + beside;
  }

  #time(x: number): number {
    const inside = Math.max(0, Math.min(x, this.width()));
    return camera.toTime(this.timeline.trace, this.width(), inside);
  }

  #x(event: MouseEvent): number {
    return event.clientX - this.el.getBoundingClientRect().left;
  }
}
