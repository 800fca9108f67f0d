/**
 * The traits that the timeline shares with Python and with other views of the model.
 *
 * What is read from a trait is never written back, and what is written is known when it comes back:
 * no echo can move the screen.
 */
import type { Key, Session } from "../../../core/session";
import { fromTrait, toTrait } from "./camera";
import type { View } from "./types";

/** Quiet time after which the window is told to Python, ms. */
const WINDOW_DELAY = 150;

/** What the timeline does when somebody else has changed a trait. */
export interface Follows {
  setView(view: View): void;
  setSearch(text: string): void;
  setSelection(keys: readonly Key[]): void;
}

export class TraitLink {
  #window = "";
  #search = "";
  #selection = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly follows: Follows,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Take over what others have changed since the last time. */
  read(trace: View): void {
    const window = this.session.get("window") ?? null;
    const search = this.session.get("search") ?? "";
    const selection = this.session.get("selection") ?? [];
    if (JSON.stringify(window) !== this.#window) {
      this.#window = JSON.stringify(window);
      clearTimeout(this.#timer); // what somebody else wants goes before what was not told yet
      this.follows.setView(fromTrait(window, trace));
    }
    if (search !== this.#search) {
      this.#search = search;
      this.follows.setSearch(search);
    }
    if (JSON.stringify(selection) !== this.#selection) {
      this.#selection = JSON.stringify(selection);
      this.follows.setSelection(selection);
    }
  }

  /** Another trace, or another grouping: read anew what it concerns. */
  forget(otherTrace: boolean): void {
    this.#selection = "[]";
    if (!otherTrace) return;
    clearTimeout(this.#timer);
    this.#window = "";
  }

  writeWindow(view: View, trace: View): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const window = toTrait(view, trace);
      if (JSON.stringify(window) === this.#window) return;
      this.#window = JSON.stringify(window);
      this.session.set({ window });
    }, WINDOW_DELAY);
  }

  writeSearch(search: string): void {
    this.#search = search;
    if (search !== (this.session.get("search") ?? "")) this.session.set({ search });
  }

  writeSelection(selection: Key[]): void {
    const text = JSON.stringify(selection);
    if (text === this.#selection) return;
    this.#selection = text;
    this.session.set({ selection });
  }
}
