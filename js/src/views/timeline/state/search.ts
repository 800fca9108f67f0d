/** `Finder`: the search by name; counts the matches, and goes to the next or previous one. */

import { sameValue } from "../../../core/state/equality";
import type { SliceRef } from "../data/messages";
import type { TimelineRequests } from "../data/requests";
import type { StateHolder } from "./holder";

export class Finder {
  #counted: unknown;
  #searching = 0;

  constructor(
    private readonly state: StateHolder,
    private readonly requests: TimelineRequests,
    private readonly goTo: (target: SliceRef) => void,
  ) {}

  /** Whether a match is on its way. */
  get searching(): boolean {
    return this.#searching > 0;
  }

  set(search: string): void {
    if (search !== this.state.now.search) this.state.set({ search, found: null, findError: null });
  }

  /**
   * Count the matches, unless the same search was counted last.
   *
   * @param scope - identifies the data that is searched
   */
  count(scope: unknown): void {
    const { search, view } = this.state.now;
    const counted = [scope, search];
    if (sameValue(counted, this.#counted)) return;
    this.#counted = counted;
    if (search) void this.#find(0, null, view.start_ns);
    else if (this.state.now.found) this.state.set({ found: null });
  }

  forget(): void {
    this.#counted = undefined;
  }

  /** Go to the match after or before the selected slice; without one, from the edge of the screen. */
  next(direction: 1 | -1): void {
    const { search, selected, view } = this.state.now;
    if (!search) return;
    const edge = direction > 0 ? view.start_ns : view.end_ns;
    void this.#find(direction, selected?.slice ?? null, selected?.start_ns ?? edge);
  }

  /** Go to the first match of all. */
  first(): void {
    const { search, layout } = this.state.now;
    if (search && layout) void this.#find(1, null, layout.start_ns);
  }

  async #find(direction: 0 | 1 | -1, from: number | null, from_ns: number): Promise<void> {
    const { search } = this.state.now;
    this.#searching += 1;
    const found = await this.requests.find(direction, from, from_ns);
    this.#searching -= 1;
    if (!found || search !== this.state.now.search) {
      this.state.changed();
      return;
    }
    if (found instanceof Error) {
      this.state.set({ found: null, findError: found });
      return;
    }
    this.state.set({ found, findError: null });
    if (direction !== 0 && found.hit) this.goTo(found.hit);
  }
}
