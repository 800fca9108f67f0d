/** The overview: key figures, the time of steps by category, and recommendations. */

import { Cards } from "../../chart/cards";
import { Chart } from "../../chart/chart";
import { withTemplates } from "../../chart/template";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill, renew, setText } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { Described, ManySteps, Overview, TraceInfo } from "../../core/protocol/protocol";
import type { Reply } from "../../core/protocol/router";
import { link } from "../../parts/states";
import { plainExport } from "../../table/exports";
import { plainTable } from "../../table/plaintable";
import { Rows, readRows } from "../../values/arrow";
import { deviceName } from "../../values/devicenames";
import { formatDuration, plural } from "../../values/format";
import { deviceTime } from "./devices";
import { cards, lead } from "./recommendations";
import { besideDevices, type StepFacts, statStrip, stepFacts } from "./stats";
import { coverage, ONLY, summaryTable, unmarked } from "./summary";

const SIDE = 320;
/** Minimum width for the summary's chart beside its table, and the width of the chart, CSS px. */
const BESIDE = 572;
const SUMMARY = 320;

/** What is said of steps under a filter of names, which takes Python. */
const OF_ALL = "of all work: filtering a step by name needs Python";

const rowsOf = (table: Rows) => Array.from({ length: table.length }, (_, row) => row);

interface Section {
  el: HTMLElement;
  small: HTMLElement;
  content: HTMLElement;
}

export class OverviewPanel implements Panel {
  readonly el: HTMLElement;
  #loader: Loader;
  #stats: HTMLElement;
  #summary: Section;
  #summaryTable: HTMLElement;
  #donut: Chart;
  #steps: Section;
  #bars: Chart;
  #stepRows: HTMLElement;
  #lead: HTMLElement;
  #more: Cards;
  #moreLoader: Loader;
  #cards: Section;
  #time: Section;
  #devices: Section;
  #facts: Section;
  #content: HTMLElement;
  #info: TraceInfo | null = null;
  #asTable = false;
  #tables: Record<string, Rows> = {};
  /** Without Python: that the filter of names does not apply to the steps. */
  #ofAll = "";
  /** About all steps, where the table has only the slowest. */
  #manySteps: ManySteps | null = null;

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#donut = new Chart(ctx, { title: "Time by category", source: "slices" });
    this.#bars = new Chart(ctx, {
      title: "Step time breakdown, stacked bars",
      source: "steps",
      picks: "steps",
    });
    this.#stats = h("div");
    this.#lead = h("div", { class: "nbp-leads" });
    this.#summaryTable = h("div");
    this.#summary = this.#section("Execution summary");
    this.#summary.content.className = "nbp-summary";
    this.#summary.content.append(this.#summaryTable, this.#donut.el);
    this.#stepRows = h("div", { hidden: true });
    const view = link(h, "View as table", () => {
      this.#asTable = !this.#asTable;
      view.textContent = this.#asTable ? "View as chart" : "View as table";
      this.#showSteps();
    });
    view.style.marginLeft = "auto";
    view.dataset.offline = "";
    this.#steps = this.#section("Step time breakdown", view);
    this.#steps.content.append(this.#bars.el, this.#stepRows);
    this.#more = new Cards(ctx);
    this.#cards = this.#section("Recommendations");
    this.#time = this.#section("Device time");
    this.#devices = this.#section("Devices");
    this.#facts = this.#section("Device and run");
    this.#moreLoader = new Loader(ctx, "overview:cards", "the stages", this.#more.el);
    this.#content = h("div", { class: "nbp-body", style: "padding:0" });
    this.#loader = new Loader(ctx, "overview", "the overview", this.#content);
    this.el = h("div", { class: "nbp-body" }, this.#loader.el);
    this.#arrange();
  }

  setInfo(info: TraceInfo): void {
    this.#info = info;
  }

  get parts(): readonly Part[] {
    // Requested in this order, so that the first picture does not wait for the cards.
    return [this, { update: () => this.#updateCards() }];
  }

  update(): void {
    const room = this.ctx.room();
    if (room === 0) return;
    this.#arrange();
    this.#sayHow();
    this.#loader.need(
      { ...this.#look(room), part: "own" },
      "",
      (params, options) =>
        this.ctx.session.router.request<Overview>("overview", withTemplates(params), options),
      (reply) => this.#show(reply),
    );
  }

  #updateCards(): void {
    const room = this.ctx.room();
    if (room === 0) return;
    this.#moreLoader.need(
      { ...this.#look(room), part: "cards", view: "overview", choices: this.#more.choices },
      "",
      (params, options) =>
        this.ctx.session.router.request<Described>("charts", withTemplates(params), options),
      ({ result, buffers }) => this.#more.show(result, buffers),
    );
  }

  #look(room: number) {
    const { session } = this.ctx;
    return {
      state: session.state,
      theme: this.ctx.theme(),
      width: this.#widths(room),
      unit: session.get("time_unit") ?? "auto",
    };
  }

  exports(): Exportable[] {
    return [
      plainExport(this.ctx, "Execution summary", "overview"),
      plainExport(this.ctx, "Steps", "steps"),
      ...this.#more.exports(),
      plainExport(this.ctx, "Recommendations", "recommendations"),
      plainExport(this.ctx, "Device time", "device_time"),
      plainExport(this.ctx, "Devices", "device_summary"),
    ];
  }

  #section(title: string, ...more: HTMLElement[]): Section {
    const { h } = this.ctx;
    const small = h("small");
    const content = h("div");
    const head = h("div", { class: "nbp-head" }, h("h3", { tabindex: -1 }, title, small), more);
    return { el: h("section", {}, head, content), small, content };
  }

  /** Lay the sections out in two columns, or in one. */
  #arrange(): void {
    const width = this.ctx.width();
    if (this.#content.dataset.layout === width) return;
    this.#content.dataset.layout = width;
    const { h } = this.ctx;
    const main = [this.#summary.el, this.#steps.el, this.#moreLoader.el];
    const side = [this.#cards.el, this.#time.el, this.#devices.el, this.#facts.el];
    // What to look at first, or one line of it, and the first chart are in sight at once.
    if (width === "wide")
      fill(
        this.#content,
        h("div", { class: "nbp-columns" }, h("div", {}, main), h("div", {}, this.#stats, side)),
      );
    else if (width === "mid") {
      const rest = [...main.slice(1), ...side.slice(1)];
      fill(this.#content, this.#lead, main[0], this.#stats, this.#cards.el, rest);
    } else fill(this.#content, this.#stats, this.#cards.el, main, side.slice(1));
  }

  #widths(room: number): Record<string, number> {
    const width = this.ctx.width();
    const main = width === "wide" ? room - SIDE - 16 : room;
    const summary = main < BESIDE ? main : Math.min(SUMMARY, main - BESIDE + 240);
    this.#donut.el.style.width = `${summary}px`;
    return { "": main, steps: main, summary };
  }

  #show({ result, buffers }: Reply<Overview>): void {
    const { ctx } = this;
    const none = new Uint8Array();
    const table = (name: string) => readRows(buffers[result.tables[name] ?? -1] ?? none);
    const overview = table("overview");
    const steps = table("steps");
    const device_summary = table("device_summary");
    const device_time = table("device_time");
    const recommendations = table("recommendations");
    this.#tables = { steps };
    this.#manySteps = result.many_steps ?? null;
    this.#ofAll = result.of_all ? OF_ALL : "";
    const every = this.#manySteps ?? stepFacts(steps);
    const strip = steps.length
      ? statStrip(ctx, { overview, steps, device_summary }, every, this.#recorded, this.#other)
      : null;
    renew(this.#stats, strip);
    this.#summary.el.hidden = !steps.length;
    // The bar of a single step replaces the donut.
    const { summary, steps: bars } = result.figures;
    const single = bars !== undefined && !summary;
    this.#steps.el.hidden = single || (!steps.length && !bars);
    const [place, next] = single
      ? [this.#summary.content, this.#summaryTable]
      : [this.#steps.content, this.#stepRows];
    if (this.#bars.el.parentElement !== place) place.insertBefore(this.#bars.el, next);
    this.#summary.content.classList.toggle("nbp-onestep", single);
    this.#showSummary(overview, every);
    void this.#donut.draw(summary);
    this.#bars.el.hidden = false;
    void this.#bars.draw(bars);
    this.#showSteps();
    this.#showCards(recommendations, result.missing?.recommendations);
    this.#showDevices(device_time, device_summary, result.left_out ?? "");
    renew(
      this.#facts.content,
      ctx.h(
        "dl",
        {},
        result.facts.map(([label, value]) => [ctx.h("dt", {}, label), ctx.h("dd", {}, value)]),
      ),
    );
  }

  /** What the rest of a step is called: under a filter that leaves out work, not idle. */
  get #other(): string {
    return this.#tables.steps?.column("other_us")?.term || "Other";
  }

  get #recorded(): boolean {
    return this.#info?.steps.recorded !== false;
  }

  #showSummary(overview: Rows, { count, complete }: StepFacts): void {
    const { session } = this.ctx;
    const of = !this.#recorded
      ? coverage(session, overview.number("avg_us", 0), this.#info?.duration_us ?? 0)
      : complete === 1
        ? "one complete step"
        : `mean of ${plural(complete, "complete step")}`;
    const said = [`${of}; overlapping work counts once, for the first category below`, this.#ofAll];
    setText(this.#summary.small, said.filter(Boolean).join(" · "));
    const title = !this.#recorded ? unmarked(session) : count === 1 ? ONLY : "Average step";
    renew(this.#summaryTable, summaryTable(this.ctx, overview, title, this.#other));
  }

  #showSteps(): void {
    const { steps } = this.#tables;
    if (!steps) return;
    this.#sayHow();
    this.#bars.el.style.display = this.#asTable ? "none" : "";
    this.#stepRows.hidden = !this.#asTable;
    const shown = steps.columns.filter(
      ({ name, at }) =>
        !/^(start|end)_/.test(name) && (name === "step" || rowsOf(steps).some((row) => at(row))),
    );
    const rows = new Rows(steps.length, shown);
    const table = this.#asTable ? plainTable(this.ctx, "steps", rows, "Steps", "steps") : null;
    if (table) table.style.maxHeight = "320px";
    renew(this.#stepRows, table);
  }

  /** Explain a click on a bar, or why there is only one bar. */
  #sayHow(): void {
    if (!this.#tables.steps) return;
    const filters = this.ctx.session.lacks("filter:steps") === undefined;
    const how = filters
      ? "click a step or drag over several, then press Enter to filter everything to them"
      : "";
    const listed = this.#asTable && this.#manySteps;
    const one =
      this.#info?.hints.steps ?? "no steps are marked, so the whole recording is one step";
    const said = [this.#ofAll, listed ? listed.shown : this.#recorded ? how : one];
    setText(this.#steps.small, said.filter(Boolean).join(" · "));
  }

  /** @param missing - why there are no recommendations, if the reason is not in the trace */
  #showCards(rows: Rows, missing?: string): void {
    const beside = besideDevices(this.ctx.session.get("filter"));
    const said = [String(rows.length), beside];
    setText(this.#cards.small, rows.length ? said.filter(Boolean).join(" · ") : "");
    const none = this.ctx.h(
      "p",
      { class: "nbp-muted", style: "margin:0" },
      missing ? `${missing} ${this.ctx.session.again}` : "No recommendations.",
    );
    const reveal = (table: string) => this.#reveal(table);
    renew(this.#cards.content, rows.length ? cards(this.ctx, rows, reveal) : none);
    this.#lead.hidden = !rows.length;
    const first = () => lead(this.ctx, rows, beside, () => reveal("recommendations"));
    renew(this.#lead, rows.length ? first() : null);
  }

  /** @param leftOut - which of very many devices these are */
  #showDevices(time: Rows, summary: Rows, leftOut: string): void {
    const { h } = this.ctx;
    const none = this.#info?.hints.device ?? "No device work in this part of the trace.";
    const total = time.number("total_us", 0);
    const whole =
      time.length === 1 && total !== null
        ? `${deviceName(time, 0)}, ${formatDuration(total)} from first to last work`
        : leftOut;
    const said = [whole, besideDevices(this.ctx.session.get("filter"))];
    setText(this.#time.small, said.filter(Boolean).join(" · "));
    setText(this.#devices.small, leftOut);
    renew(
      this.#time.content,
      time.length
        ? deviceTime(this.ctx, time)
        : h("p", { class: "nbp-muted", style: "margin:0" }, none),
    );
    const numbered = rowsOf(summary).filter((row) => summary.get("device", row) !== null);
    const several = numbered.length > 1;
    // Of very many devices, the lists scroll: else they are longer than all else together.
    for (const { content } of [this.#time, this.#devices])
      content.classList.toggle("nbp-manydevices", leftOut !== "");
    this.#devices.el.hidden = !several;
    if (several)
      renew(this.#devices.content, plainTable(this.ctx, "device_summary", summary, "Devices"));
  }

  /** Scroll to the section of a table. */
  #reveal(table: string): void {
    const parts: Record<string, Section> = {
      steps: this.#steps,
      overview: this.#summary,
      recommendations: this.#cards,
      device_time: this.#time,
      device_summary: this.#devices.el.hidden ? this.#facts : this.#devices,
    };
    const title = parts[table]?.el.querySelector("h3");
    title?.scrollIntoView?.({ block: "nearest" });
    title?.focus({ preventScroll: true });
  }
}
