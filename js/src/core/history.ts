/** The filters that were set before this one, for Back. */
import type { Filter } from "./protocol";

const DEPTH = 50;

export class FilterHistory {
  #past: Filter[] = [];
  #current: Filter;

  constructor(current: Filter) {
    this.#current = current;
  }

  get canGoBack(): boolean {
    return this.#past.length > 0;
  }

  /** Note a filter that was set by whomever. */
  note(filter: Filter): void {
    if (sameFilter(filter, this.#current)) return;
    this.#past.push(this.#current);
    if (this.#past.length > DEPTH) this.#past.shift();
    this.#current = filter;
  }

  /** Return the filter before this one, which is then the current one. */
  back(): Filter | null {
    const filter = this.#past.pop();
    if (filter) this.#current = filter;
    return filter ?? null;
  }
}

export function sameFilter(a: Filter, b: Filter): boolean {
  return filterKey(a) === filterKey(b);
}

/** A text that two filters share when they mean the same. */
export function filterKey(filter: Filter): string {
  const fields = Object.entries(filter).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return JSON.stringify(fields.sort(([a], [b]) => (a < b ? -1 : 1)));
}
