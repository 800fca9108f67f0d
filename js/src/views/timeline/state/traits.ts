/**
 * `TraitLink`: synchronizes the timeline with the traits that Python and other views share.
 *
 * A value read from a trait is never written back, and a written value is recognized when it returns,
 * so no echo can move the screen.
 */

import { sameValue } from "../../../core/state/equality";
import type { Session } from "../../../core/state/session";
import type { Key, LaneArrangement, Traits } from "../../../core/state/traits";
import { fromTrait, toTrait } from "./camera";
import type { View } from "./types";

/** Time without changes after which the window is sent to Python, ms. */
const WINDOW_DELAY = 150;

/** The actions of the timeline after Python or another view has changed a trait. */
interface Follows {
  setView(view: View): void;
  setSearch(text: string): void;
  setSelection(keys: readonly Key[]): void;
  setLanes(lanes: LaneArrangement): void;
}

type TimelineTraits = Pick<Traits, "window" | "search" | "selection" | "lanes">;

export class TraitLink {
  #window: Traits["window"] | undefined;
  #search = "";
  #selection: readonly Key[] | undefined;
  #lanes: LaneArrangement = {};
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly session: Session,
    private readonly follows: Follows,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** The current values of the traits. */
  get values(): TimelineTraits {
    return {
      window: this.session.get("window") ?? null,
      search: this.session.get("search") ?? "",
      selection: this.session.get("selection") ?? [],
      lanes: this.session.get("lanes") ?? {},
    };
  }

  /** Apply the changes by Python and other views since the last call. */
  take({ window, search, selection, lanes }: TimelineTraits, trace: View): void {
    if (!sameValue(lanes, this.#lanes)) {
      this.#lanes = lanes;
      this.follows.setLanes(lanes);
    }
    if (!sameValue(window, this.#window)) {
      this.#window = window;
      clearTimeout(this.#timer); // a change by others takes precedence over an unsent one
      this.follows.setView(fromTrait(window, trace));
    }
    if (search !== this.#search) {
      this.#search = search;
      this.follows.setSearch(search);
    }
    if (!sameValue(selection, this.#selection)) {
      this.#selection = selection;
      this.follows.setSelection(selection);
    }
  }

  /** After a change of trace or grouping, read again the traits that depend on it. */
  forget(otherTrace: boolean): void {
    this.#selection = [];
    if (!otherTrace) return;
    clearTimeout(this.#timer);
    this.#window = undefined;
  }

  writeWindow(view: View, trace: View): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      const window = toTrait(view, trace);
      if (sameValue(window, this.#window)) return;
      this.#window = window;
      this.session.set({ window });
    }, WINDOW_DELAY);
  }

  writeSearch(search: string): void {
    this.#search = search;
    if (search !== (this.session.get("search") ?? "")) this.session.set({ search });
  }

  writeLanes(lanes: LaneArrangement): void {
    if (sameValue(lanes, this.#lanes)) return;
    this.#lanes = lanes;
    this.session.set({ lanes });
  }

  writeSelection(selection: Key[]): void {
    if (sameValue(selection, this.#selection)) return;
    this.#selection = selection;
    this.session.set({ selection });
  }
}
