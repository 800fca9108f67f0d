/** `Sides`: what is compared with what: both traces, their devices and steps, and notes about them. */
import { BaselineField } from "../../baselines/baselinefield";
import type { Context } from "../../core/context";
import { fill } from "../../core/dom";
import type { Diff, DiffSide } from "../../core/protocol/protocol";
import { selectedNames } from "../../core/state/selecting";
import { button } from "../../parts/states";
import { hasTimeline } from "../../table/links/slices";
import { plural } from "../../values/format";
import { RENAMED } from "./tree";
import { WorkersButton, workersText } from "./workers";

export class Sides {
  readonly el: HTMLElement;
  #cards: HTMLElement;
  #notes: HTMLElement;
  #swap: HTMLButtonElement;
  #links: HTMLElement;
  #field: BaselineField;
  #workers: { baseline: WorkersButton; candidate: WorkersButton };

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#cards = h("div", { class: "nbp-diffsides" });
    this.#notes = h("ul", { class: "nbp-diffnotes nbp-muted" });
    this.#field = new BaselineField(ctx, "Compare with");
    this.#workers = {
      baseline: new WorkersButton(ctx, "baseline"),
      candidate: new WorkersButton(ctx, "candidate"),
    };
    this.#swap = button(h, "Swap sides", () => {});
    this.#swap.dataset.needs = "profile";
    this.#links = h("span", { class: "nbp-pair" });
    const bar = h("div", { class: "nbp-diffbar" }, this.#field.el, this.#swap, this.#links);
    this.el = h("section", { "aria-label": "What is compared" }, this.#cards, this.#notes, bar);
  }

  /** Whether there is nothing to choose. */
  get alone(): boolean {
    return this.#field.hasNone;
  }

  /** Draw both sides; without a baseline, only the choice of one. */
  update(diff: Diff | null): void {
    const { h, session } = this.ctx;
    this.#field.update();
    const { candidate, baseline = null, notes = [] } = diff ?? {};
    this.#cards.hidden = !candidate || !baseline;
    this.#notes.hidden = !notes.length;
    // The bar above has the same field.
    this.#field.el.hidden ||= baseline !== null;
    this.#swap.hidden = this.#links.hidden = !baseline;
    if (!candidate || !baseline) return;
    this.#swap.onclick = () => this.#swapSides(candidate, baseline);
    for (const one of Object.values(this.#workers))
      one.update({ candidate, baseline }, this.#field.catalog);
    fill(
      this.#cards,
      this.#card("Baseline", baseline, this.#workers.baseline.el),
      this.#card("Candidate, on screen", candidate, this.#workers.candidate.el),
    );
    fill(
      this.#notes,
      notes.map((note) => h("li", {}, note)),
    );
    const name = selectedNames(session)[0]?.split(RENAMED).at(-1);
    const step = (session.get("selection") ?? [])[0]?.step;
    const at = name ? { name } : typeof step === "number" ? { step } : {};
    const toTimeline = button(h, "Both in the timeline", () =>
      session.set({
        active: session.viewThatShows("slices")?.name ?? "",
        timeline_align: at,
        window: null,
      }),
    );
    toTimeline.dataset.tip = name ? `Aligned at ${name}` : "Aligned at the first step of both";
    fill(this.#links, hasTimeline(session) && toTimeline);
  }

  #card(title: string, side: DiffSide, workers: HTMLElement): HTMLElement {
    const { h } = this.ctx;
    const place = workersText(side);
    const steps = side.steps
      ? `${plural(side.steps, "step")}, ${side.complete} compared`
      : "no steps recorded";
    return h(
      "div",
      { class: "nbp-diffside" },
      h("span", { class: "nbp-label" }, title),
      h("strong", { "data-tip": side.run }, side.run || "(top folder)"),
      h("span", { class: "nbp-diffworkers" }, h("span", { "data-tip": place }, place), workers),
      h(
        "span",
        { class: "nbp-muted" },
        [side.device, side.format, steps, side.filter && `only ${side.filter}`]
          .filter(Boolean)
          .join(" · "),
      ),
    );
  }

  /** Exchange the profiles of both sides: Python then sets the traits. */
  async #swapSources(): Promise<void> {
    const { session, announce, id } = this.ctx;
    try {
      await session.router.request("swap", { state: session.state }, { slot: `${id}:swap` });
      announce("Baseline and candidate are swapped");
    } catch {
      announce("Baseline and candidate could not be swapped");
    }
  }

  #swapSides({ run, worker, span, workers }: DiffSide, baseline: DiffSide): void {
    if (baseline.source) {
      void this.#swapSources();
      return;
    }
    const several = (of: readonly string[]) => of.length > 1;
    this.ctx.session.set({
      run: baseline.run,
      worker: baseline.worker,
      span: baseline.span,
      baseline: {
        run,
        worker,
        span,
        ...(several(workers) && { workers: [...workers] }),
        ...(several(baseline.workers) && { candidates: [...baseline.workers] }),
      },
      selection: [],
    });
    this.ctx.announce("Baseline and candidate are swapped");
  }
}
