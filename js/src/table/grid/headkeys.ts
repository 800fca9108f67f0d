/** Handles pointer and keys in the header of a grid: resizing columns, and moving between them. */
import type { Make } from "../../core/dom";
import { allowed } from "./columnwidths";

/** Step of a key press, CSS px. */
const STEP = 16;

interface HeadEvents {
  /** Give a column a width, in CSS px; while `dragging`, only show it. */
  resize(key: string, width: number, dragging: boolean): void;
  /** Make a column as wide as its content. */
  fit(key: string): void;
  /** Go to the rows. */
  leave(): void;
}

export class HeadKeys {
  /** The column that the Tab key reaches. */
  #key = "";

  constructor(
    h: Make,
    private readonly head: HTMLElement,
    private readonly events: HeadEvents,
  ) {
    h.on(head, {
      keydown: (event) => this.#press(event),
      focusin: (event) => this.#settle(keyOf(event)),
      pointerdown: (event) => this.#drag(event),
      dblclick: (event) => {
        if (isEdge(event)) this.events.fit(keyOf(event));
      },
    });
  }

  /** Make one button of a new header the one that Tab reaches. */
  settle(sorted: string | undefined): void {
    const keys = this.#cells().map(({ dataset }) => dataset.key);
    this.#settle(keys.includes(this.#key) ? this.#key : (sorted ?? keys[0] ?? ""));
  }

  #settle(key: string): void {
    if (key) this.#key = key;
    for (const cell of this.#cells()) {
      const button = cell.querySelector("button");
      if (button) button.tabIndex = cell.dataset.key === this.#key ? 0 : -1;
    }
  }

  /** The header cells of columns, from left to right. */
  #cells(): HTMLElement[] {
    const cells = [...this.head.querySelectorAll<HTMLElement>("th[data-key]")];
    return cells.sort((a, b) => Number(a.dataset.at) - Number(b.dataset.at));
  }

  #press(event: KeyboardEvent): void {
    const key = keyOf(event);
    const cells = this.#cells();
    const at = cells.findIndex(({ dataset }) => dataset.key === key);
    const cell = cells[at];
    if (!cell) return;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const to = { Home: 0, End: cells.length - 1 }[event.key] ?? (by && at + by);
    if (by && event.shiftKey) this.events.resize(key, widthOf(cell) + by * STEP, false);
    else if (event.shiftKey && event.key === "Enter") this.events.fit(key);
    else if (event.key === "ArrowDown") this.events.leave();
    else if (to !== undefined) cells[to]?.querySelector("button")?.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #drag(down: PointerEvent): void {
    const edge = down.target as HTMLElement;
    const cell = edge.closest<HTMLElement>("th[data-key]");
    if (!cell || !isEdge(down) || down.button !== 0) return;
    down.preventDefault();
    const key = keyOf(down);
    const before = widthOf(cell);
    let width = before;
    const move = (event: PointerEvent) => {
      width = allowed(before + event.clientX - down.clientX);
      this.events.resize(key, width, true);
    };
    const end = () => {
      edge.removeEventListener("pointermove", move);
      edge.removeEventListener("pointerup", end);
      edge.removeEventListener("pointercancel", end);
      if (width !== before) this.events.resize(key, width, false);
    };
    edge.setPointerCapture?.(down.pointerId);
    edge.addEventListener("pointermove", move);
    edge.addEventListener("pointerup", end);
    edge.addEventListener("pointercancel", end);
  }
}

function keyOf(event: Event): string {
  return (event.target as Element).closest<HTMLElement>("th[data-key]")?.dataset.key ?? "";
}

function isEdge(event: Event): boolean {
  return (event.target as Element).classList.contains("nbp-grip");
}

function widthOf(cell: HTMLElement): number {
  return cell.getBoundingClientRect().width;
}
