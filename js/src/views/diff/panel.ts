/** The diff view: both sides, the step by category, the largest changes, the tree and the tables. */
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { Diff, TraceInfo } from "../../core/protocol/protocol";
import { signal } from "../../core/state/signals";
import { emptyState } from "../../parts/states";
import { labels } from "../../values/names";
import { breakdown, headline } from "./breakdown";
import { Sides } from "./sides";
import { Tables } from "./tables";
import { Tree } from "./tree";
import { waterfall } from "./waterfall";

const CHOOSE =
  'Choose the run, worker or span to compare with above, or in Python: view.baseline = {"run": …}. ' +
  "Two profiles are compared by nbprof.show(nbprof.diff(a, b)).";
const ALONE =
  "There is one trace here. Compare two by nbprof.show(nbprof.diff(a, b)), or show a folder with both.";

export class DiffPanel implements Panel {
  readonly el: HTMLElement;
  #sides: Sides;
  #empty: HTMLElement;
  #charts: HTMLElement;
  #loader: Loader;
  #tree: Tree;
  #tables: Tables;
  #rest: HTMLElement;
  #diff = signal<Diff | null>(null);

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#sides = new Sides(ctx);
    this.#empty = h("div", { hidden: true });
    this.#charts = h("div", { class: "nbp-diffcharts" });
    const content = h("div", {}, this.#empty, this.#charts);
    this.#loader = new Loader(ctx, "diff", "the differences", content);
    this.#tree = new Tree(ctx);
    this.#tables = new Tables(ctx);
    this.#rest = h("div", { class: "nbp-diffrest" }, this.#tree.table.el, this.#tables.table.el);
    this.el = h("div", { class: "nbp-body" }, this.#sides.el, this.#loader.el, this.#rest);
  }

  setInfo(info: TraceInfo): void {
    for (const { table } of [this.#tree, this.#tables]) table.setInfo(info);
  }

  get parts(): readonly Part[] {
    const onlyWithBaseline = (part: Part) => ({ update: () => this.#hasBaseline && part.update() });
    return [
      this,
      { update: () => this.#sides.update(this.#diff.value) },
      { update: () => this.#draw() },
      ...[this.#tree.table, this.#tables, this.#tables.table].map(onlyWithBaseline),
    ];
  }

  update(): void {
    const { session } = this.ctx;
    this.#rest.hidden = !this.#hasBaseline;
    this.#loader.need(
      { state: session.state },
      "",
      (params, options) => session.router.request<Diff>("diff", params, options),
      ({ result }) => {
        Object.assign(labels, result.labels);
        this.#diff.value = result;
      },
    );
  }

  exports(): Exportable[] {
    return this.#hasBaseline ? [...this.#tables.exports(), ...this.#tree.exports()] : [];
  }

  get #hasBaseline(): boolean {
    return Object.keys(this.ctx.session.get("baseline") ?? {}).length > 0;
  }

  #draw(): void {
    const diff = this.#diff.value;
    if (!diff) return;
    const { h } = this.ctx;
    const none = !diff.baseline;
    this.#empty.hidden = !none;
    this.#charts.hidden = none;
    if (none) {
      const alone = this.#sides.alone;
      const title = alone ? "Nothing to compare with" : "Choose a baseline";
      fill(this.#empty, emptyState(h, title, alone ? ALONE : CHOOSE));
      return;
    }
    if (diff.missing) {
      fill(
        this.#charts,
        h("p", { class: "nbp-muted" }, `${diff.missing} ${this.ctx.session.again}`),
      );
      return;
    }
    fill(
      this.#charts,
      headline(this.ctx, diff),
      diff.reason ? h("p", { class: "nbp-reason" }, diff.reason) : null,
      h("div", { class: "nbp-diffpair" }, breakdown(this.ctx, diff), waterfall(this.ctx, diff)),
    );
  }
}
