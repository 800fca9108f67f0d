/** Requests and caches the details of slices. */
import type { Context } from "../../../core/context";
import type { SliceDetails } from "../data/messages";
import { choiceOf } from "../data/requests";
import { scopeOf } from "../state/scope";
import type { Timeline } from "../state/types";

export function params(
  { session }: Context,
  { state }: Timeline,
  more: Record<string, unknown>,
): Record<string, unknown> {
  return { state: session.state, ...choiceOf(state.layout), ...more };
}

const KEPT = 200;

/** The details of slices; each slice is requested once. */
export class DetailsCache {
  #known = new Map<string, SliceDetails>();

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
    private readonly slot: string,
  ) {}

  /** The cached details of a slice, without a request. */
  get(slice: number): SliceDetails | undefined {
    const { details } = this.timeline.state;
    return details?.slice === slice ? details : this.#known.get(this.#key(slice));
  }

  async ask(slice: number): Promise<void> {
    const { ctx, timeline, slot } = this;
    const key = this.#key(slice);
    const { result } = await ctx.session.router.request<SliceDetails>(
      "slice",
      params(ctx, timeline, { slice }),
      { slot: `${ctx.id}:${slot}`, signal: ctx.signal },
    );
    const [oldest] = this.#known.keys();
    if (this.#known.size >= KEPT && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(key, result);
  }

  #key(slice: number): string {
    const { layout } = this.timeline.state;
    return `${layout && scopeOf(this.ctx.session.traceKey, layout)} ${slice}`;
  }
}
