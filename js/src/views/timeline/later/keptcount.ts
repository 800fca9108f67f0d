/** `KeptCount`: says how many slices the name filter keeps; the others are dimmed. */

import type { Context } from "../../../core/context";
import { sameValue } from "../../../core/state/equality";
import { untracked } from "../../../core/state/signals";
import { formatNumber, plural } from "../../../values/format";
import type { Found } from "../data/messages";
import { outlineOf } from "../data/outline";
import type { Timeline } from "../state/types";
import { params } from "./slicedetails";

export class KeptCount {
  readonly el: HTMLElement;
  #asked: unknown;

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Timeline,
  ) {
    this.el = ctx.h("span", { role: "status" });
  }

  update(): void {
    const { ctx, timeline } = this;
    const { router, state } = ctx.session;
    const { name } = state.filter;
    const asks = params(ctx, timeline, { search: name, direction: 0, from: null, from_ns: 0 });
    const asked = name && timeline.state.layout ? [asks, router.connected] : null;
    if (sameValue(asked, this.#asked)) return;
    this.#asked = asked;
    const say = (words: string) => {
      if (asked === this.#asked) this.el.textContent = words;
    };
    if (!asked) {
      say("");
      return;
    }
    const slot = `${ctx.id}:timeline-kept`;
    untracked(() => router.request<Found>("find", asks, { slot, signal: ctx.signal })).then(
      ({ result }) => say(this.#words(result.count)),
      () => say(""), // the lanes say what is wrong
    );
  }

  #words(count: number): string {
    const { session } = this.ctx;
    // In saved state, slices may be missing or only counted in blocks.
    if (!session.router.connected && outlineOf(session)?.about.left_out)
      return `${formatNumber(count)} of the slices drawn one by one ${count === 1 ? "matches" : "match"} the name filter`;
    return `${plural(count, "slice matches", "slices match")} the name filter`;
  }
}
