/** The history of filters, for the Back button. */
import type { Filter } from "../protocol/protocol";
import { sameValue } from "./equality";
import { signal } from "./signals";

const DEPTH = 50;

export class FilterHistory {
  #past = signal<readonly Filter[]>([]);
  #current: Filter;

  constructor(current: Filter) {
    this.#current = current;
  }

  get canGoBack(): boolean {
    return this.#past.value.length > 0;
  }

  /** Record a filter that was set in the browser or in Python. */
  note(filter: Filter): void {
    if (sameValue(filter, this.#current)) return;
    this.#past.value = [...this.#past.peek(), this.#current].slice(-DEPTH);
    this.#current = filter;
  }

  /** Return the filter before this one, which is then the current one. */
  back(): Filter | null {
    const filter = this.#past.peek().at(-1);
    if (!filter) return null;
    this.#past.value = this.#past.peek().slice(0, -1);
    this.#current = filter;
    return filter;
  }
}
