/** Loads the script `tools`, which completes the bars, after the first picture or when it is needed. */
import type { Context } from "../core/context";
import { untracked, watch } from "../core/state/signals";
import type { Places, Tools } from "../tools/main";

/** Time for the first picture, ms. */
const PATIENT = 800;

type Equip = (ctx: Context, places: Places) => Tools;

export class ToolLoader {
  #coming: Promise<Tools | null> | null = null;

  /** @param drawn - reads a signal; whether there is something on screen */
  constructor(
    private readonly ctx: Context,
    private readonly places: Places,
    drawn: () => boolean,
  ) {
    const { session, signal } = ctx;
    let timer: ReturnType<typeof setTimeout> | undefined;
    signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
    watch(() => {
      const live = session.connection.reach === "live";
      if (live && !drawn()) return;
      clearTimeout(timer);
      const selects = (session.get("selection") ?? []).length > 0; // it draws the selection bar
      timer = setTimeout(() => untracked(() => void this.need()), live && !selects ? PATIENT : 0);
      // A short text until the script draws the badge, or if the script cannot be loaded.
      if (!this.#coming) places.badge.textContent = live ? "" : "Not connected";
    }, signal);
  }

  /** The tools; null where their script is not available. */
  need(): Promise<Tools | null> {
    const { ctx, places } = this;
    this.#coming ??= ctx.session.scripts.load<Equip>("tools").then(
      (equip) => equip(ctx, places),
      () => {
        this.#coming = null; // the next call tries again
        return null;
      },
    );
    return this.#coming;
  }
}
