/** `FlowArrows`: switches arrows of whole kinds, such as all launches, and requests those in the window. */
import type { FlowKind } from "../data/messages";
import type { TimelineRequests } from "../data/requests";
import { toTime } from "./camera";
import type { StateHolder } from "./holder";
import type { Arranger } from "./lanes/arranger";
import { scopeOf } from "./scope";

/** Time that the window must be at rest before a request, ms. */
const REST = 100;

export class FlowArrows {
  #asked = "";
  #askedAt: number | null = null;
  /** Whether there are more arrows than were sent. */
  #limited = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly state: StateHolder,
    private readonly requests: TimelineRequests,
    private readonly lanes: Arranger,
    signal: AbortSignal,
  ) {
    state.subscribe(() => this.#update());
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** Switch a kind of arrows on or off. */
  toggle(kind: FlowKind): void {
    const flows = new Set(this.state.now.flows);
    if (!flows.delete(kind)) flows.add(kind);
    this.state.set({ flows, flowArrows: [] });
  }

  /** Request the arrows of the window once it is at rest; again near the pointer if there are too many. */
  #update(): void {
    const { layout, flows, view } = this.state.now;
    const { rows, scrollTop, size } = this.lanes;
    const kinds = [...(flows ?? [])].filter((kind) => layout?.flows?.includes(kind));
    const seen = rows.rowsBetween(scrollTop, scrollTop + size.height);
    const asked = JSON.stringify([
      layout && scopeOf("", layout),
      layout?.end_ns,
      kinds,
      view,
      seen,
    ]);
    const at = this.#at();
    const same = asked === this.#asked;
    if (same && (!this.#limited || at === null || at === this.#askedAt)) return;
    if (!same) this.#limited = false;
    this.#asked = asked;
    this.#askedAt = at;
    clearTimeout(this.#timer);
    if (!kinds.length || !seen.length) return;
    this.#timer = setTimeout(async () => {
      const found = await this.requests.flows(kinds, view, seen, at);
      if (!found || asked !== this.#asked || at !== this.#askedAt) return;
      this.#limited = found.limited;
      this.state.set({ flowArrows: found.arrows });
    }, REST);
  }

  /** The time around which arrows are wanted: the selected slice, else the pointer; null for neither. */
  #at(): number | null {
    const { selected, pointer, view } = this.state.now;
    if (selected && selected.end_ns >= view.start_ns && selected.start_ns < view.end_ns) {
      const from = Math.max(selected.start_ns, view.start_ns);
      return Math.round((from + Math.min(selected.end_ns, view.end_ns)) / 2);
    }
    return pointer && Math.round(toTime(view, this.lanes.size.width, pointer.x));
  }
}
