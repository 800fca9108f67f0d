/** The maximum height of the lanes: chosen by the user, available on a full screen, or the default. */
import type { Context } from "../../../core/context";
import { fullScreenOf } from "../../../core/fullscreen";
import { HeightGrip } from "./heightgrip";

export const LEAST_HEIGHT = 60;
const MOST_HEIGHT = 440;
/** Room for the details of a slice below the lanes on a full screen. */
const BELOW = 160;

export class LanesHeight {
  readonly grip: HeightGrip;
  /** A height that is being chosen; undefined otherwise. */
  #choosing: number | null | undefined;
  /** The height chosen on a full screen; it is dropped when the full screen ends. */
  #onFull: number | null = null;

  /**
   * @param height - the present height, CSS px
   * @param changed - called when another height is wanted
   */
  constructor(
    private readonly ctx: Context,
    height: () => number,
    changed: () => void,
  ) {
    const set = (wanted: number | null) => {
      this.#choosing = wanted && Math.round(Math.max(LEAST_HEIGHT, wanted));
      changed();
    };
    this.grip = new HeightGrip(ctx, height, set, () => this.#keep());
  }

  /** @param lanes - the element of the lanes; on a full screen its top decides the available height */
  most(lanes: HTMLElement): number {
    const { root, session } = this.ctx;
    const full = this.#isFull;
    if (!full) this.#onFull = null;
    const kept = full ? this.#onFull : (session.get("timeline_height") ?? null);
    const wanted = this.#choosing === undefined ? kept : this.#choosing;
    if (wanted !== null) return wanted;
    if (!full) return MOST_HEIGHT;
    const above = lanes.getBoundingClientRect().top - root.getBoundingClientRect().top;
    return Math.max(MOST_HEIGHT, root.clientHeight - above - root.scrollTop - BELOW);
  }

  get #isFull(): boolean {
    return fullScreenOf(this.ctx).shown.value !== null;
  }

  #keep(): void {
    const chosen = this.#choosing;
    this.#choosing = undefined;
    if (chosen === undefined) return;
    if (this.#isFull) this.#onFull = chosen;
    else this.ctx.session.set({ timeline_height: chosen });
  }
}
