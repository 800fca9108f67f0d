/** `SpreadRow`: a row in the header of a table with a small chart in each numeric column, to be brushed. */

import type { Context } from "../core/context";
import { fill } from "../core/dom";
import type { Spread, Spreads } from "../core/protocol/protocol";
import { sameValue } from "../core/state/equality";
import { signal, untracked } from "../core/state/signals";
import type { ColumnSpec } from "../table/columnspec";
import type { PageStore } from "../table/pagestore";
import type { TimeUnit } from "../values/format";
import { type Bins, searchOf } from "./brushing";
import { chart } from "./chart";
import css from "./style.css";

const styled = new WeakSet<HTMLElement>();

export class SpreadRow {
  /** The search field does by the keyboard what a brush does. */
  #el: HTMLElement;
  /** What was asked for last, and the last reply. */
  #asked: unknown;
  #found = signal<Spreads["spreads"]>({});
  /** What the row was drawn from. */
  #drawn: unknown;

  /** @param search - searches the table for a text */
  constructor(
    private readonly ctx: Context,
    private readonly search: (text: string) => void,
  ) {
    if (!styled.has(ctx.root)) ctx.addStyle(css);
    styled.add(ctx.root);
    this.#el = ctx.h("tr", { class: "nbp-spreads", "aria-hidden": "true" });
  }

  /**
   * Draw the row for a page of the table; null where no column on screen is spread. A watched
   * caller is called again after a reply.
   */
  draw(
    store: PageStore,
    specs: readonly ColumnSpec[],
    units: ReadonlyMap<string, TimeUnit>,
  ): HTMLElement | null {
    this.#ask(store);
    const found = this.#found.value;
    if (!specs.some(({ key }) => Object.hasOwn(found, key))) return null;
    const drawn = [store, found, specs.map(({ key }) => key), units];
    if (!sameValue(drawn, this.#drawn)) {
      this.#drawn = drawn;
      const { h } = this.ctx;
      const cellOf = (spec: ColumnSpec) => {
        const spread = Object.hasOwn(found, spec.key) && found[spec.key];
        return h("td", {}, spread && this.#chart(store, spec, spread, units));
      };
      fill(this.#el, ...specs.map(cellOf));
    }
    return this.#el;
  }

  #chart(
    { query, first: { page, rows } }: PageStore,
    spec: ColumnSpec,
    spread: Spread,
    units: ReadonlyMap<string, TimeUnit>,
  ): HTMLElement {
    const { conditions = [] } = page;
    const hasNames = rows.column("name") !== undefined;
    const brush = (bins: Bins | null) =>
      this.search(searchOf({ search: query.search, conditions }, spec.key, spread, bins, hasNames));
    return chart(this.ctx.h, { spec, spread, units, conditions, brush });
  }

  /** Ask how the values are spread, unless that was asked last: sort order and search are no matter. */
  #ask({ query }: PageStore): void {
    const { ctx } = this;
    const { router } = ctx.session;
    const { search: _, sort: __, ...params } = query;
    const asked = [params, router.connected];
    if (sameValue(asked, this.#asked)) return;
    this.#asked = asked;
    this.#el.dataset.waits = "";
    const slot = `${ctx.id}:spreads:${query.table}`;
    const request = () => router.request<Spreads>("spreads", params, { slot, signal: ctx.signal });
    const show = (found: Spreads["spreads"]) => {
      if (asked !== this.#asked) return;
      delete this.#el.dataset.waits;
      this.#found.value = found;
    };
    // The table says what is wrong.
    untracked(request).then(
      ({ result }) => show(result.spreads),
      () => show({}),
    );
  }
}
