/** `StateHolder`: holds the state of one timeline in a signal and notifies listeners. */
import { computed, signal, untracked, watch } from "../../../core/state/signals";
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
  named: "",
  found: null,
  collapsed: new Set(),
  hidden: new Set(),
  pinned: [],
  order: [],
  heights: {},
  empty: new Set(),
  leftOut: "",
  helpOpen: false,
};

/** The fields to reset for another layout, in which row and slice numbers differ. */
export const CLEARED: Partial<TimelineState> = {
  empty: new Set(),
  hovered: null,
  measure: null,
  found: null,
  area: null,
  block: null,
  selected: null,
  details: null,
  flowArrows: [],
  noting: null,
};

export class StateHolder {
  #now = signal(NOTHING);
  /** The layout, for readers that need not follow every pointer move. */
  readonly layout = computed(() => this.#now.value.layout);

  constructor(private readonly life: AbortSignal) {}

  get now(): TimelineState {
    return this.#now.value;
  }

  set(changes: Partial<TimelineState>): void {
    this.#now.value = { ...this.#now.peek(), ...changes };
  }

  /** Call a listener after changes, once for several. */
  subscribe(listener: () => void): void {
    watch(() => {
      void this.now;
      untracked(listener);
    }, this.life);
  }

  /** Notify of a change outside of the state, such as a new level of slices. */
  changed(): void {
    this.set({});
  }
}
