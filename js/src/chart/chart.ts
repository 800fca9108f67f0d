/** `Chart`: a Bokeh figure or an SVG drawing, which can show its numbers as a table instead. */

import type { Context } from "../core/context";
import { fill } from "../core/dom";
import type { Figure, FigureItem, Items, TemplateItem } from "../core/protocol/protocol";
import { messageOf } from "../core/protocol/router";
import { watchPlace } from "../parts/inplace";
import type { Picks } from "../picking/items";
import type { PickingScript } from "../picking/main";
import { DASH, formatDuration, formatPercent, lengthText } from "../values/format";
import {
  type Drawn,
  drawFigure,
  type FigureModel,
  findSource,
  hideTips,
  loadBokeh,
  type Source,
  sourceColumn,
  wipeEdges,
} from "./bokeh";
import { Picking } from "./picking";
import { drawShapes } from "./svg";
import { exchange, figureOf, isTemplate, keepTemplate, undrawnData } from "./template";

interface ChartOptions {
  title: string;
  /** Name of the data source that the table shows and `onDrawn` gets. */
  source: string;
  /** Called for every new figure. Later data comes into the same sources. */
  onDrawn?: (source: Source, model: FigureModel) => void;
  /** The kind of its bars or slices, if they can be selected. */
  picks?: Picks | undefined;
  /** Whether it is no donut: `describe` sets its description, and its table is elsewhere. */
  plain?: boolean;
}

/** How far outside of the visible part a figure is kept up to date, so that scrolling shows no old one. */
const NEAR = "200px";

/** Number of figures made so far, as part of the ids of their models. */
let figures = 0;

const charts = new WeakMap<Element, Chart>();

/** The chart that an element belongs to. */
export function chartOf(el: Element): Chart | undefined {
  return charts.get(el);
}

export class Chart {
  readonly el: HTMLElement;
  #figure: HTMLElement;
  #table: HTMLElement;
  #drawn: Drawn | null = null;
  /** The item of the figure on screen, if its data can be exchanged for that of an equal template. */
  #item: TemplateItem | null = null;
  /** The last figure passed to `draw`. */
  #given: Figure | undefined;
  #prefix = "";
  #source: Source | null = null;
  #turn = 0;
  #picking: Picking | null;
  #asTable = false;
  #unwatch: (() => void) | null = null;
  /** Whether the figure is in or near the visible part of the page. */
  #near = true;
  /** The newest item, if its data waits until the figure comes near. */
  #due: TemplateItem | null = null;

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
    charts.set(this.el, this);
    const { picks } = options;
    this.#picking = picks ? new Picking(ctx, this.#figure, picks) : null;
    const sight = this.#watchSight();
    ctx.signal.addEventListener(
      "abort",
      () => {
        sight?.disconnect();
        this.#remove();
      },
      { once: true },
    );
    h.on(this.#figure, {
      pointermove: () => this.#followTips(),
      pointerleave: () => {
        this.#unwatch?.();
        this.#unwatch = null;
      },
    });
  }

  /**
   * Draw a figure. If it has the template of the figure on screen, only the data is exchanged;
   * otherwise the old figure stays until the new one is painted.
   */
  async draw(item: Figure | undefined): Promise<void> {
    const turn = ++this.#turn;
    this.#given = item;
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
      this.#setItems(item.drawing.items, item.drawing);
      return;
    }
    if ("words" in item) {
      this.#say(item.words);
      return;
    }
    const target = h("div");
    // Keeps what is below from jumping, now and when data that has waited comes.
    const { style } = this.#figure;
    style.minHeight = `${figureHeight(item) ?? 0}px`;
    style.maxHeight = isTemplate(item) ? style.minHeight : "";
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
      const picking = session.scripts.load<PickingScript>("picking"); // without it, all is drawn, too
      picking.then(({ spareUnseen }) => spareUnseen(drawn.view)).catch(() => {});
      this.#item = isTemplate(item) ? item : null;
      this.#prefix = prefix;
      this.#setItems(this.#item?.items);
    } catch (error) {
      target.remove();
      if (turn === this.#turn) this.#sayInWords(item, error);
    }
  }

  /** Exchange the data of the figure on screen; return false if the item has another template. */
  #exchange(item: TemplateItem): boolean {
    if (!this.#drawn || this.#item?.template !== item.template) return false;
    this.#due = this.#near ? null : item;
    if (this.#due) {
      // Who does not see the figure may hear what it shows.
      if (!this.options.plain) this.#read(undrawnData(item, this.options.source));
      return true;
    }
    exchange(this.#drawn.model, this.#prefix, this.#item, item, () => wipeEdges(this.#figure));
    this.#item = item;
    this.#read();
    this.#setItems(item.items);
    return true;
  }

  /** Note when the figure comes near; the visible charts do not wait for the others. */
  #watchSight(): IntersectionObserver | undefined {
    if (!globalThis.IntersectionObserver) return undefined;
    const margins = { rootMargin: NEAR, scrollMargin: NEAR };
    const sight = new IntersectionObserver((found) => {
      const last = found.at(-1);
      // A figure that is hidden may come into sight with the next reply.
      this.#near = !last || last.isIntersecting || !last.boundingClientRect.height;
      if (this.#near) this.#catchUp();
    }, margins);
    sight.observe(this.el);
    return sight;
  }

  /** Exchange the data that has waited. */
  #catchUp(): void {
    this.#near = true;
    if (this.#due) this.#exchange(this.#due);
  }

  #setItems(items?: Items, size?: { width: number; height: number }): void {
    const source = items && this.#drawn && findSource(this.#drawn.model, items.source);
    this.#picking?.set(items ?? null, source ?? null, size);
  }

  #replace(drawn: Drawn, target: Element): void {
    this.#remove();
    this.#drawn = drawn;
    this.#table.hidden = !this.#asTable;
    fill(this.#figure, target, this.#picking?.el);
    this.#source = findSource(drawn.model, this.options.source) ?? null;
    if (this.#source) this.options.onDrawn?.(this.#source, drawn.model);
    this.#read();
  }

  #say(words: string): void {
    this.#remove();
    this.#figure.style.minHeight = "";
    fill(this.#figure, this.ctx.h("p", { class: "nbp-muted" }, words));
  }

  /** Where BokehJS may not run, show the numbers as a table. */
  #sayInWords(item: FigureItem | TemplateItem, error: unknown): void {
    this.#say(`This chart could not be drawn. ${messageOf(error)}`);
    const { plain, source } = this.options;
    this.#source = plain || !isTemplate(item) ? null : undrawnData(item, source);
    if (!this.#rows().length) return;
    this.#fillTable();
    this.#table.hidden = false;
  }

  /** Hide tooltips of BokehJS, which are outside of the widget and stay when the figure moves or changes. */
  #followTips(): void {
    this.#unwatch ??= watchPlace(
      this.#figure,
      () => this.#turn,
      () => {
        this.#unwatch = null;
        hideTips(this.#figure);
      },
    );
  }

  /** Describe the data of the figure in words, and in the table if it is shown. */
  #read(source = this.#source): void {
    if (!source || this.options.plain) return;
    const parts = this.#rows(source).map(([name, , share]) => `${name} ${share} %`);
    const words = [this.options.title, parts.slice(0, 3).join(", ")].filter(Boolean).join(": ");
    this.describe(words);
    if (this.#asTable) this.#fillTable();
  }

  get title(): string {
    return this.options.title;
  }

  /** The item of the figure on screen, or the drawing itself; null without one. */
  get shown(): FigureItem | TemplateItem | SVGElement | null {
    const given = this.#given;
    if (!this.#drawn || !given || "words" in given) return null;
    return "drawing" in given ? this.#figure.querySelector("svg") : given;
  }

  /** Set the text that describes the figure. */
  describe(words: string): void {
    this.#figure.setAttribute("aria-label", words);
  }

  /** Show the figure, or its data as a table. */
  setAsTable(asTable: boolean): void {
    this.#catchUp();
    this.#asTable = asTable;
    if (asTable) this.#fillTable();
    this.#table.hidden = !asTable && this.#drawn !== null;
    this.#figure.hidden = asTable;
  }

  /** Names, times and shares of the slices, as formatted text. */
  #rows(source = this.#source): [name: string, time: string, share: string][] {
    if (!source) return [];
    const choice = this.ctx.session.get("time_unit") ?? "auto";
    const timeText = (time: number) =>
      choice === "auto" ? formatDuration(time) : lengthText(time * 1e3, choice);
    const [names, labels, values, shares] = ["name", "label", "value", "pct"].map((column) =>
      sourceColumn(source, column),
    );
    return (labels ?? []).map((label, row) => {
      const time = values?.[row];
      const share = shares?.[row];
      return [
        String(names?.[row] || label),
        typeof time === "number" ? timeText(time) : DASH,
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
    this.#due = null;
    this.#drawn?.remove();
    this.#drawn = null;
    this.#item = null;
    this.#source = null;
    this.#figure.replaceChildren();
    this.#setItems();
  }
}

/** The height that Python set for the figure. */
function figureHeight(item: FigureItem | TemplateItem): number | null {
  if (isTemplate(item)) return item.height;
  const { roots } = item.doc as { roots?: { attributes?: { height?: unknown } }[] };
  const height = roots?.[0]?.attributes?.height;
  return typeof height === "number" ? height : null;
}
