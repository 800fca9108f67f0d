/** Loads the scripts of views; without Python, finds a view that can be shown. */

import type { Context } from "../core/context";
import { derived, signal, untracked } from "../core/state/signals";
import type { ViewInfo } from "../core/views/viewinfo";
import { moduleOf } from "./panels";

/** Delay before a placeholder is shown while a script loads, ms. */
const PATIENT = 300;

interface Screen {
  sayLoading(view: ViewInfo): void;
  sayError(what: string, error: unknown, again: () => void): void;
  /** Say that the script of a view is not available without Python. */
  sayScriptMissing(view: ViewInfo): void;
}

export class ViewLoader {
  /** The number of loaded scripts; code that reads it looks for its panel again after the next. */
  readonly loaded = signal(0);
  /** The conditions of loading: a script is requested once, and again when Python comes or goes. */
  #wanted = derived(() => ({
    view: this.ctx.session.view,
    connected: this.ctx.session.router.connected,
  }));

  constructor(
    private readonly ctx: Context,
    private readonly screen: Screen,
  ) {}

  /** Load the script of the active view. */
  follow(): void {
    const { view } = this.#wanted.value;
    if (!moduleOf(view)) untracked(() => void this.#load(view));
  }

  /** The first view that can show something without Python and without saved state of tables. */
  offlineView(): ViewInfo | undefined {
    return this.ctx.session.views.find((view) => moduleOf(view)?.worksOffline);
  }

  async #load(view: ViewInfo): Promise<void> {
    const { screen } = this;
    const { session, signal } = this.ctx;
    const wait = setTimeout(() => screen.sayLoading(view), PATIENT);
    try {
      await session.scripts.load(view.script);
      if (!signal.aborted) this.loaded.value += 1;
    } catch (error) {
      if (signal.aborted || view.name !== session.view.name) return;
      if (!session.router.connected && !session.hasScript(view.script))
        screen.sayScriptMissing(view);
      else screen.sayError(`the view ${view.title}`, error, () => void this.#load(view));
    } finally {
      clearTimeout(wait);
    }
  }
}
