/** What stands for the model of a notebook on a page of its own: traits, and nobody to send to. */
import type { AnyModel, Callback } from "../core/afm";

export class PageModel implements AnyModel {
  readonly page = true as const;
  readonly #listeners = new Map<string, Set<Callback>>();

  constructor(private readonly traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    if (JSON.stringify(this.traits[name]) === JSON.stringify(value)) return;
    this.traits[name] = value;
    for (const listener of [...(this.#listeners.get(`change:${name}`) ?? [])]) listener();
  }

  save_changes(): void {}

  /** @throws Error - there is no Python, which is how a closed line answers as well */
  send(): void {
    throw new Error("This page has no Python.");
  }

  on(name: string, callback: Callback): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(callback));
  }

  off(name?: string | null, callback?: Callback | null): void {
    if (!name) this.#listeners.clear();
    else if (callback) this.#listeners.get(name)?.delete(callback);
    else this.#listeners.delete(name);
  }
}
