/** A model for exported pages: it holds traits, and sending always fails. */
import type { AnyModel, Callback } from "../core/anywidget";
import { sameValue } from "../core/state/equality";

export class PageModel implements AnyModel {
  readonly page = true as const;
  readonly #listeners = new Map<string, Set<Callback>>();

  constructor(private readonly traits: Record<string, unknown>) {}

  get(name: string): unknown {
    return this.traits[name];
  }

  set(name: string, value: unknown): void {
    if (sameValue(this.traits[name], value)) return;
    this.traits[name] = value;
    for (const listener of [...(this.#listeners.get(`change:${name}`) ?? [])]) listener();
  }

  save_changes(): void {}

  /** @throws Error - always, as on a closed comm: a page has no Python */
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
