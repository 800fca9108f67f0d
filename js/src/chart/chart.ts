/** A chart: a Bokeh figure or an SVG drawing, or its numbers as a table on request. */

import type { Context } from "../core/context";
import { fill } from "../core/dom";
import type { Figure, FigureItem, TemplateItem } from "../core/protocol/protocol";
import { DASH, formatDuration, formatPercent } from "../values/format";
import {
  type Drawn,
  drawFigure,
  type FigureModel,
  findSource,
  loadBokeh,
  type Source,
  sourceColumn,
} from "./bokeh";
import { drawShapes } from "./svg";
import { exchange, figureOf, isTemplate, keepTemplate, undrawnData } from "./template";

interface ChartOptions {
  title: string;
  /** Name of the data source that the table shows and `onDrawn` gets. */
  source: string;
  /** Called for every new figure, to listen to it. Later data comes into the same sources. */
  onDrawn?: (source: Source, model: FigureModel) => void;
  /** Not a donut: `describe` gives its text, and its table stands elsewhere. */
  plain?: boolean;
}

/** Number of figures made so far, as part of the ids of their models. */
let figures = 0;

export class Chart {
  readonly el: HTMLElement;
  #figure: HTMLElement;
  #table: HTMLElement;
  #drawn: Drawn | null = null;
  /** What the figure on screen was made of, if another item of this template may replace it. */
  #item: TemplateItem | null = null;
  #prefix = "";
  #source: Source | null = null;
  #turn = 0;
  #asTable = false;

  constructor(
    private readonly ctx: Context,
    private readonly options: ChartOptions,
  ) {
    const { h } = ctx;
    this.#figure = h("div", { class: "nbp-figure", role: "img", "aria-label": options.title });
    this.#table = h("div", {
      class: "nbp-frame",
      tabindex: 0,
      hidden: true,
      role: "region",
      "aria-label": `${options.title} as a table`,
    });
    this.el = h("div", { class: "nbp-chart" }, this.#figure, this.#table);
    ctx.signal.addEventListener("abort", () => this.#remove(), { once: true });
  }

  /**
   * Draw a figure. One of the same template only exchanges its data; another one stays until the new
   * one is painted.
   */
  async draw(item: Figure | undefined): Promise<void> {
    const turn = ++this.#turn;
    if (!item) {
      this.#remove();
      this.el.hidden = true;
      return;
    }
    this.el.hidden = false;
    const { h, session } = this.ctx;
    if ("drawing" in item) {
      const { el, model } = drawShapes(item);
      this.#replace({ model, remove: () => el.remove() }, el);
      return;
    }
    if ("words" in item) {
      this.#remove();
      this.#figure.style.minHeight = "";
      fill(this.#figure, h("p", { class: "nbp-muted" }, item.words));
      return;
    }
    const target = h("div");
    this.#figure.style.minHeight = `${figureHeight(item) ?? 0}px`; // keeps what is below from jumping
    if (isTemplate(item)) {
      keepTemplate(item);
      if (this.#exchange(item)) return;
    }
    try {
      const bokeh = await loadBokeh(session.router, item.version ?? "");
      if (turn !== this.#turn) return;
      // BokehJS measures as it draws, so the target is already in the document, hidden.
      target.style.cssText = "position:absolute;visibility:hidden";
      this.#figure.append(target);
      const prefix = `nbprof-${++figures}-${Math.random().toString(36).slice(2)}-`;
      const figure = isTemplate(item) ? figureOf(item, prefix) : item;
      const drawn = await drawFigure(bokeh, figure, target);
      if (turn !== this.#turn || this.ctx.signal.aborted) {
        drawn.remove();
        target.remove();
        return;
      }
      target.style.cssText = "";
      this.#replace(drawn, target);
      this.#item = isTemplate(item) ? item : null;
      this.#prefix = prefix;
    } catch (error) {
      target.remove();
      if (turn === this.#turn) this.#sayInWords(item, error);
    }
  }

  /** Give the figure on screen the data of an item of its template; return whether it is one. */
  #exchange(item: TemplateItem): boolean {
    if (!this.#drawn || this.#item?.template !== item.template) return false;
    exchange(this.#drawn.model, this.#prefix, this.#item, item);
    this.#item = item;
    this.#read();
    return true;
  }

  #replace(drawn: Drawn, target: Element): void {
    this.#remove();
    this.#drawn = drawn;
    this.#table.hidden = !this.#asTable;
    fill(this.#figure, target);
    this.#use(drawn);
  }

  /** Where BokehJS may not run, show the numbers as a table. */
  #sayInWords(item: FigureItem | TemplateItem, error: unknown): void {
    const { h } = this.ctx;
    this.#remove();
    const words = `This chart could not be drawn. ${messageOf(error)}`;
    this.#figure.style.minHeight = "";
    fill(this.#figure, h("p", { class: "nbp-muted" }, words));
    const { plain, source } = this.options;
    this.#source = plain || !isTemplate(item) ? null : undrawnData(item, source);
    if (!this.#rows().length) return;
    this.#fillTable();
    this.#table.hidden = false;
  }

  #use(drawn: Drawn): void {
    this.#source = findSource(drawn.model, this.options.source) ?? null;
    if (this.#source) this.options.onDrawn?.(this.#source, drawn.model);
    this.#read();
  }

  /** Describe the data of the figure in words, and in the table if it is shown. */
  #read(): void {
    if (!this.#source || this.options.plain) return;
    const parts = this.#rows().map(([name, , share]) => `${name} ${share} %`);
    const words = [this.options.title, parts.slice(0, 3).join(", ")].filter(Boolean).join(": ");
    this.#figure.setAttribute("aria-label", words);
    if (this.#asTable) this.#fillTable();
  }

  /** Set the text that describes the figure. */
  describe(words: string): void {
    this.#figure.setAttribute("aria-label", words);
  }

  /** Show the figure, or its data as a table. */
  setAsTable(asTable: boolean): void {
    this.#asTable = asTable;
    if (asTable) this.#fillTable();
    this.#table.hidden = !asTable && this.#drawn !== null;
    this.#figure.hidden = asTable;
  }

  /** Names, times and shares of the slices, as formatted text. */
  #rows(): [name: string, time: string, share: string][] {
    const source = this.#source;
    if (!source) return [];
    const [names, labels, values, shares] = ["name", "label", "value", "pct"].map((column) =>
      sourceColumn(source, column),
    );
    return (labels ?? []).map((label, row) => {
      const time = values?.[row];
      const share = shares?.[row];
      return [
        String(names?.[row] || label),
        typeof time === "number" ? formatDuration(time) : DASH,
        typeof share === "number" ? formatPercent(share) : DASH,
      ];
    });
  }

  #fillTable(): void {
    const { h } = this.ctx;
    const lines = this.#rows().map(([name, time, share]) =>
      h(
        "tr",
        {},
        h("td", { "data-tip": name }, name),
        h("td", { class: "nbp-num" }, time),
        h("td", { class: "nbp-num" }, share),
      ),
    );
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, this.options.title),
      h("th", { scope: "col", class: "nbp-num" }, "Time"),
      h("th", { scope: "col", class: "nbp-num" }, "Share ", h("em", {}, "%")),
    );
    const widths = ["", "width:84px", "width:72px"].map((style) => h("col", { style }));
    const table = h(
      "table",
      {},
      h("colgroup", {}, widths),
      h("thead", {}, head),
      h("tbody", {}, lines),
    );
    fill(this.#table, table);
  }

  #remove(): void {
    this.#drawn?.remove();
    this.#drawn = null;
    this.#item = null;
    this.#source = null;
    this.#figure.replaceChildren();
  }
}

/** The height that Python set for the figure. */
function figureHeight(item: FigureItem | TemplateItem): number | null {
  if (isTemplate(item)) return item.height;
  const { roots } = item.doc as { roots?: { attributes?: { height?: unknown } }[] };
  const height = roots?.[0]?.attributes?.height;
  return typeof height === "number" ? height : null;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
