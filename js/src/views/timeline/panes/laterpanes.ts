/** Loads the second script of the timeline and holds its panes. */
import type { Context, Part } from "../../../core/context";
import { fill } from "../../../core/dom";
import { loadedExports } from "../../../core/scripts/scripts";
import { signal, untracked } from "../../../core/state/signals";
import { link } from "../../../parts/states";
import type { Later, LaterScript } from "../later";
import { BASELINE } from "../state/scope";
import type { Timeline } from "../state/types";

const SCRIPT = "timeline.later";

export class LaterPanes implements Part {
  readonly el: HTMLElement;
  /** The bar above the lanes of two runs, which keeps its place until the script is there. */
  readonly bar: HTMLElement;
  #made = signal<Later | null>(null);

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    /** Heads and canvas of the lanes. */
    private readonly lanes: HTMLElement,
  ) {
    this.el = ctx.h("div", { class: "nbp-tl-later" });
    this.bar = ctx.h("div", { class: "nbp-tl-alignbar", "data-offline": true, hidden: true });
    this.#bring();
  }

  /** The menu of the lanes; null until it is loaded. */
  get menu(): Later["menu"] | null {
    return this.#made.value?.menu ?? null;
  }

  /** The menu of the workers; null until it is loaded. */
  get workers(): Later["workers"] | null {
    return this.#made.value?.workers ?? null;
  }

  update(): void {
    const made = this.#made.value;
    for (const pane of made?.panes ?? []) pane.update();
    made?.menu.update();
    made?.heads.update();
    made?.workers.update();
    const { compared, failed } = this.timeline.state.layout ?? {};
    this.bar.hidden = !compared && !failed?.[BASELINE];
    made?.align.update();
  }

  #bring(): void {
    const there = loadedExports<LaterScript>(SCRIPT);
    if (there) this.#take(there);
    else void this.#load();
  }

  async #load(): Promise<void> {
    const { session, signal } = this.ctx;
    try {
      const script = await session.scripts.load<LaterScript>(SCRIPT);
      if (!signal.aborted) untracked(() => this.#take(script));
    } catch (error) {
      if (!signal.aborted) this.#say(error);
    }
  }

  #take({ make }: LaterScript): void {
    const made = make(this.ctx, this.timeline, this.lanes);
    fill(this.bar, ...made.align.parts);
    fill(this.el, ...made.panes.map(({ el }) => el));
    this.#made.value = made;
  }

  #say(error: unknown): void {
    const { h } = this.ctx;
    const words = error instanceof Error ? error.message : String(error);
    const again = link(h, "Read again", () => {
      fill(this.el);
      void this.#load();
    });
    fill(this.el, h("span", { class: "nbp-error" }, "Error: "), words, " ", again);
  }
}
