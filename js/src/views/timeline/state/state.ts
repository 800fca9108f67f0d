/** The state of one timeline, and who is told when it changes. */
import type { TimelineState } from "./types";

export const NOTHING: TimelineState = {
  layout: null,
  minimap: null,
  view: { start_ns: 0, end_ns: 1 },
  hovered: null,
  pointer: null,
  selected: null,
  details: null,
  area: null,
  measuring: false,
  measure: null,
  search: "",
  found: null,
  collapsed: new Set(),
  hidden: new Set(),
  pinned: [],
  leftOut: "",
  helpOpen: false,
};

export class StateHolder {
  #now = NOTHING;
  #listeners: (() => void)[] = [];
  #scheduled = false;

  constructor(private readonly signal: AbortSignal) {}

  get now(): TimelineState {
    return this.#now;
  }

  set(changes: Partial<TimelineState>): void {
    this.#now = { ...this.#now, ...changes };
    this.changed();
  }

  /** Listeners are called in the order in which they came, once for several changes. */
  subscribe(listener: () => void): void {
    this.#listeners.push(listener);
  }

  changed(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      if (this.signal.aborted) return;
      for (const listener of this.#listeners) listener();
    });
  }
}
