/** `HeadDrag`: dragging the lower edge of a lane's head changes its height, the rest its position. */
import type { Context } from "../../../../core/context";
import { setAttributes } from "../../../../core/dom";
import { CLICK, capture } from "../../stage/gestures";
import { keyOf } from "../../stage/gutter";
import { rowHeightFor } from "../../state/lanes/arrangement";
import { bandBottom } from "../../state/lanes/placement";
import type { Placed, Timeline } from "../../state/types";
import type { Heads } from "./heads";

/** Height of the edge that is dragged, px. */
const EDGE = 6;
/** Distance from the ends within which a drag scrolls the lanes, and the scrolled length per frame, px. */
const NEAR_END = 18;
const SCROLL = 8;

interface Press {
  head: HTMLElement;
  item: Placed;
  y: number;
  /** The dragged head; undefined until the pointer has moved. */
  drags?: "edge" | "head";
  onEdge: boolean;
  /** The height before the drag. */
  before: number | null;
}

export class HeadDrag {
  #press: Press | null = null;
  /** Whether the last press was on an edge or became a drag; then the following click is ignored. */
  #notClick = false;
  #lastEdge: string | null = null;
  #mark: HTMLElement;
  #y = 0;
  #frame = 0;

  constructor(
    { h, root, signal }: Context,
    private readonly timeline: Timeline,
    private readonly heads: Heads,
  ) {
    this.#mark = h("div", { class: "nbp-tl-drop", hidden: true });
    heads.el.append(this.#mark);
    h.on(heads.el, {
      pointerdown: (event) => this.#down(event),
      pointermove: (event) => this.#move(event),
      pointerup: () => this.#up(),
      pointercancel: () => this.#cancel(),
      dblclick: (event) => this.#reset(event),
    });
    const click = (event: Event) => {
      if (!this.#notClick || !heads.headOf(event.target)) return;
      event.stopPropagation();
    };
    heads.el.addEventListener("click", click, { signal, capture: true });
    const key = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || !this.#press?.drags) return;
      event.stopPropagation();
      this.#cancel();
    };
    root.addEventListener("keydown", key, { signal, capture: true });
    signal.addEventListener("abort", () => cancelAnimationFrame(this.#frame), { once: true });
  }

  /** Whether something is being dragged. */
  get dragging(): boolean {
    return this.#press?.drags !== undefined;
  }

  #down(event: PointerEvent): void {
    this.#notClick = false;
    const head = this.heads.headOf(event.target);
    const item = this.heads.itemOf(head);
    if (event.button !== 0 || !head || !item) return;
    const onEdge =
      item.type !== "group" && event.clientY > head.getBoundingClientRect().bottom - EDGE;
    const before = this.timeline.state.heights[keyOf(item)] ?? null;
    this.#press = { head, item, y: event.clientY, onEdge, before };
    this.#notClick = onEdge;
    this.#lastEdge = onEdge ? keyOf(item) : null;
  }

  #move(event: PointerEvent): void {
    const press = this.#press;
    if (!press) return;
    const by = event.clientY - press.y;
    if (!press.drags && Math.abs(by) < CLICK) return;
    if (!press.drags) this.#begin(press, event.pointerId);
    this.#y = event.clientY - this.heads.el.getBoundingClientRect().top;
    const { item } = press;
    if (press.drags === "head") this.#showDrop();
    else if (item.type !== "group")
      this.timeline.lanes.resize(keyOf(item), rowHeightFor(item, item.height + by), false);
  }

  #begin(press: Press, pointer: number): void {
    press.drags = press.onEdge ? "edge" : "head";
    this.#notClick = true;
    setAttributes(this.heads.el, { "data-drags": press.drags });
    setAttributes(press.head, { "data-dragged": press.drags === "head" });
    capture(this.heads.el, pointer);
    if (press.drags === "head") this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  /** Mark the position at which the dragged head would be dropped. */
  #showDrop(): void {
    const press = this.#press;
    const drop = press && this.heads.dropOf(press.item, this.#y);
    this.#mark.hidden = !drop;
    if (!drop) return;
    const { onScreen, size } = this.timeline.lanes;
    const top = press.item.pinned || press.item.type === "group" ? 0 : bandBottom(onScreen);
    this.#mark.style.top = `${Math.max(top, Math.min(drop.y, size.height - 2)) - 1}px`;
  }

  /** Scroll while the pointer is near an end of the lanes. */
  #scroll(): void {
    const press = this.#press;
    if (press?.drags !== "head") return;
    const { lanes } = this.timeline;
    const { onScreen, size, scrollTop } = lanes;
    if (!press.item.pinned) {
      if (this.#y < bandBottom(onScreen) + NEAR_END) lanes.scrollTo(scrollTop - SCROLL);
      else if (this.#y > size.height - NEAR_END) lanes.scrollTo(scrollTop + SCROLL);
      if (lanes.scrollTop !== scrollTop) this.#showDrop();
    }
    this.#frame = requestAnimationFrame(() => this.#scroll());
  }

  #up(): void {
    const press = this.#end();
    if (!press) return;
    const { item } = press;
    const key = keyOf(item);
    if (press.drags === "edge") this.timeline.lanes.resize(key, this.#height(key));
    const drop = press.drags === "head" ? this.heads.dropOf(item, this.#y) : null;
    if (drop) this.heads.move(item, drop.before);
  }

  #cancel(): void {
    const press = this.#end();
    if (press?.drags === "edge") this.timeline.lanes.resize(keyOf(press.item), press.before, false);
  }

  #end(): Press | null {
    const press = this.#press;
    this.#press = null;
    cancelAnimationFrame(this.#frame);
    this.#mark.hidden = true;
    setAttributes(this.heads.el, { "data-drags": null });
    if (press) setAttributes(press.head, { "data-dragged": null });
    return press;
  }

  /** Restore the default height after a double click on an edge. */
  #reset(event: MouseEvent): void {
    const key = this.heads.headOf(event.target)?.dataset.key;
    if (key === undefined || key !== this.#lastEdge) return;
    this.timeline.lanes.resize(key, null);
  }

  #height(key: string): number | null {
    return this.timeline.state.heights[key] ?? null;
  }
}
