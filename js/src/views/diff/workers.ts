/** Which workers of a side are compared: their names, and the menu that chooses others. */
import type { Context } from "../../core/context";
import type { Baseline, Catalog, Diff, DiffSide } from "../../core/protocol/protocol";
import { button } from "../../parts/states";
import { plural } from "../../values/format";

type Side = "baseline" | "candidate";

/** The workers of a side in words. */
export function workersText({ worker, workers, span }: DiffSide): string {
  const names = workers.length > 1 ? `mean of ${workers.length}: ${workers.join(", ")}` : worker;
  return [names, span > 1 && `span ${span}`].filter(Boolean).join(" · ");
}

/** The button that opens the menu, which stays while its side is drawn anew. */
export class WorkersButton {
  readonly el: HTMLButtonElement;
  #diff: Diff | null = null;
  #known: string[] = [];

  constructor(
    private readonly ctx: Context,
    private readonly side: Side,
  ) {
    this.el = button(ctx.h, "Workers", () => this.#toggle());
    this.el.dataset.needs = "profile";
    this.el.dataset.tip = "Several workers are compared by the mean of their figures";
    this.el.setAttribute("aria-label", `Choose the workers of the ${side}`);
  }

  /** Show the button where the run of the side has several workers. */
  update(diff: Diff, catalog: Catalog | null): void {
    this.#diff = diff;
    this.#known = workersOf(catalog, diff[this.side]);
    this.el.hidden = this.#known.length < 2;
  }

  #toggle(): void {
    const boxes = new Map<string, HTMLInputElement>();
    for (const name of this.#known) boxes.set(name, this.#box(name, boxes));
    const all = button(this.ctx.h, `All ${plural(this.#known.length, "worker")}`, () => {
      for (const box of boxes.values()) box.checked = true;
      this.#choose(this.#known);
    });
    const labels = [...boxes].map(([name, box]) => this.ctx.h("label", {}, box, name));
    this.ctx.popup.toggleMenu(this.el, `Workers of the ${this.side}`, ...labels, all);
  }

  #box(name: string, boxes: ReadonlyMap<string, HTMLInputElement>): HTMLInputElement {
    const { h } = this.ctx;
    const box = h("input", { type: "checkbox" });
    box.checked = this.#diff?.[this.side]?.workers.includes(name) ?? false;
    return h.on(box, {
      change: () => {
        const wanted = this.#known.filter((one) => boxes.get(one)?.checked);
        if (wanted.length) this.#choose(wanted);
        else box.checked = true; // a side has a worker
      },
    });
  }

  #choose(wanted: readonly string[]): void {
    if (this.#diff) choose(this.ctx, this.#diff, this.side, wanted);
  }
}

/** Compare by some workers of a side; the first one stays unless it is not among them. */
function choose(ctx: Context, diff: Diff, side: Side, wanted: readonly string[]): void {
  const { session } = ctx;
  const { baseline, candidate } = diff;
  if (!baseline) return;
  const several = (workers: readonly string[]) => (workers.length > 1 ? [...workers] : undefined);
  const [theirs, mine] =
    side === "baseline" ? [wanted, candidate.workers] : [baseline.workers, wanted];
  const first = (one: DiffSide, workers: readonly string[]) =>
    workers.includes(one.worker) ? one.worker : (workers[0] ?? one.worker);
  const plain: Baseline = { run: baseline.run, span: baseline.span };
  plain.worker = first(baseline, theirs);
  if (baseline.source) plain.source = baseline.source;
  const [workers, candidates] = [several(theirs), several(mine)];
  if (workers) plain.workers = workers;
  if (candidates) plain.candidates = candidates;
  const worker = first(candidate, mine);
  session.set({ ...(worker !== session.get("worker") && { worker }), baseline: plain });
}

function workersOf(catalog: Catalog | null, side: DiffSide | null): string[] {
  const runs = side?.source ? catalog?.baselines : catalog?.runs;
  return (runs ?? [])
    .filter(({ run }) => run === side?.run)
    .flatMap(({ workers }) => workers.map(({ worker }) => worker));
}
