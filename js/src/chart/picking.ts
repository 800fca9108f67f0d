/** Loads the script `picking`, which selects bars and slices, with the first chart that has any. */

import type { Context } from "../core/context";
import type { Items } from "../core/protocol/protocol";
import type { Picks } from "../picking/items";
import type { PickingScript } from "../picking/main";
import type { Source } from "./bokeh";

type Drawn = [items: Items | null, source: Source | null, size?: { width: number; height: number }];

export class Picking {
  #picker: InstanceType<PickingScript["Picker"]> | null = null;
  #drawn: Drawn = [null, null];
  #coming = false;

  constructor(
    private readonly ctx: Context,
    private readonly figure: HTMLElement,
    private readonly picks: Picks,
  ) {}

  /** The overlay of the figure; null until the script is loaded. */
  get el(): Element | null {
    return this.#picker?.el ?? null;
  }

  /** Use the items of the chart that was drawn; null for a chart without items. */
  set(...drawn: Drawn): void {
    this.#drawn = drawn;
    if (this.#picker) this.#picker.set(...drawn);
    else if (drawn[0] && !this.#coming) void this.#load();
  }

  /** Load the script. If that fails, nothing can be selected, and the next drawing tries again. */
  async #load(): Promise<void> {
    const { ctx, figure } = this;
    this.#coming = true;
    try {
      const { Picker } = await ctx.session.scripts.load<PickingScript>("picking");
      if (ctx.signal.aborted) return;
      this.#picker = new Picker(ctx, figure, this.picks);
      figure.append(this.#picker.el);
      this.#picker.set(...this.#drawn);
    } catch {
      this.#coming = false;
    }
  }
}
