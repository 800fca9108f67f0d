/** The arrows of whole kinds, such as all launches: which are on, and those of the window. */
import type { FlowKind } from "../data/messages";
import type { Questions } from "../data/questions";
import type { Arranger } from "./arranger";
import type { StateHolder } from "./holder";

/** Time that the window must be at rest before a request, ms. */
const REST = 100;

export class FlowArrows {
  #asked = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly state: StateHolder,
    private readonly questions: Questions,
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

  /** Request the arrows of the window once it is at rest. */
  #update(): void {
    const { layout, flows, view } = this.state.now;
    const { rows, scrollTop, size } = this.lanes;
    const kinds = [...(flows ?? [])].filter((kind) => layout?.flows?.includes(kind));
    const seen = rows.rowsBetween(scrollTop, scrollTop + size.height);
    const asked = JSON.stringify([layout?.group_by, layout?.end_ns, kinds, view, seen]);
    if (asked === this.#asked) return;
    this.#asked = asked;
    clearTimeout(this.#timer);
    if (!kinds.length || !seen.length) return;
    this.#timer = setTimeout(async () => {
      const found = await this.questions.flows(kinds, view, seen);
      if (found && asked === this.#asked) this.state.set({ flowArrows: found });
    }, REST);
  }
}
