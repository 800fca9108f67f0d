/** The distributed view: compares the steps, waiting and communication of the workers of a run. */

import { Cards } from "../../chart/cards";
import { withTemplates } from "../../chart/template";
import type { Context, Exportable, Panel, Part } from "../../core/context";
import { fill } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { Distributed, TraceInfo } from "../../core/protocol/protocol";
import type { Options, Reply } from "../../core/protocol/router";
import { signal } from "../../core/state/signals";
import { emptyTable } from "../../table/emptytable";
import { plainExport } from "../../table/exports";
import { TableView } from "../../table/tableview";
import { type Rows, readRows } from "../../values/arrow";
import { deviceName } from "../../values/devicenames";
import { formatBytes, formatNumber } from "../../values/format";

const GAP = 16;
const CARDS =
  "max-height:400px;overflow:auto;grid-template-columns:repeat(auto-fit,minmax(260px,1fr))";
const GIB = 1024 ** 3;

export class DistributedPanel implements Panel {
  readonly el: HTMLElement;
  #loader: Loader;
  #none: HTMLElement;
  #notes: HTMLElement;
  #cards: Cards;
  #ops: TableView;
  #devices: HTMLElement;
  #deviceCards: HTMLElement;
  #leftOut: HTMLElement;

  #hasOperators = signal(false);

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#none = h("div");
    this.#notes = h("div", { class: "nbp-muted" });
    this.#cards = new Cards(ctx);
    this.#ops = new TableView(ctx, {
      table: "distributed_ops",
      title: "Communication operators",
      nouns: ["operator", "operators"],
      calls: ["call", "calls"],
      groupings: [],
      stacks: false,
      nameWidth: 170,
      activate: { words: "show its worker", run: (rows, at) => this.#choose(rows, at) },
      foot: "",
    });
    this.#deviceCards = h("div", { class: "nbp-stats", style: CARDS });
    this.#leftOut = h("small");
    const head = h("div", { class: "nbp-head" }, h("h3", {}, "Devices", this.#leftOut));
    this.#devices = h("section", {}, head, this.#deviceCards);
    const parts = [this.#cards.el, this.#notes, this.#none, this.#ops.el, this.#devices];
    const content = h("div", { class: "nbp-body", style: "padding:0" }, parts);
    this.#loader = new Loader(ctx, "distributed", "the workers", content);
    this.el = h("div", { class: "nbp-body" }, this.#loader.el);
  }

  setInfo(info: TraceInfo): void {
    this.#ops.setInfo(info);
  }

  get parts(): readonly Part[] {
    return [this, { update: () => this.#hasOperators.value && this.#ops.update() }];
  }

  update(): void {
    const room = this.ctx.room();
    if (room === 0) return;
    const { session } = this.ctx;
    const half = this.ctx.width() === "wide";
    this.#cards.el.style.gridTemplateColumns = `repeat(${half ? 2 : 1},minmax(0,1fr))`;
    const params = {
      state: { ...session.state, worker: "" }, // all workers
      theme: this.ctx.theme(),
      unit: session.get("time_unit") ?? "auto",
      width: half ? Math.floor((room - GAP) / 2) : room,
      choices: this.#cards.choices,
    };
    this.#loader.need(
      params,
      "",
      (params, options) => this.#ask(params, options),
      (reply) => this.#show(reply),
    );
  }

  exports(): Exportable[] {
    return [
      this.#ops.exported,
      ...this.#cards.exports(),
      plainExport(this.ctx, "Steps of workers", "distributed_overview"),
      plainExport(this.ctx, "Waiting of workers", "distributed_wait"),
    ];
  }

  /** Repeat the request until done: Python reads for a second each time, so others can be served. */
  async #ask(params: Record<string, unknown>, options: Options): Promise<Reply<Distributed>> {
    for (;;) {
      const { router } = this.ctx.session;
      const reply = await router.request<Distributed>(
        "distributed",
        withTemplates(params),
        options,
      );
      const { done, of } = reply.result;
      if (!(done < of)) return reply; // without Python there is no progress
      options.onProgress?.({ text: `${done} of ${of} traces are read`, done, total: of });
    }
  }

  #show({ result, buffers }: Reply<Distributed>): void {
    const { h } = this.ctx;
    const { notes = [], empty, calls = 0, over, left_out = "" } = result;
    fill(this.#none, empty ? emptyTable(this.ctx, empty, () => {}) : null);
    this.#none.hidden = !empty;
    fill(this.#notes, ...notes.map((note) => h("div", {}, note)));
    this.#notes.hidden = !notes.length;
    this.#cards.show(result, buffers);
    this.#ops.el.hidden = !calls;
    this.#hasOperators.value = calls > 0;
    const rows = readRows(buffers[0] ?? new Uint8Array());
    const devices = Array.from({ length: rows.length }, (_, at) => at).filter(
      (at) => rows.text("device_type", at) !== "cpu",
    );
    this.#devices.hidden = !devices.length;
    this.#leftOut.textContent = left_out;
    fill(this.#deviceCards, ...devices.map((at) => this.#card(rows, at, over)));
  }

  #card(rows: Rows, at: number, over = "the steps"): HTMLElement {
    const { h } = this.ctx;
    const memory = rows.number("memory_gb", at);
    const capability = rows.text("compute_capability", at);
    const used = rows.number("utilization_pct", at);
    const line = (...texts: string[]) =>
      h("span", { class: "nbp-label" }, texts.filter(Boolean).join(" · "));
    return h(
      "div",
      { class: "nbp-stat" },
      h("b", {}, rows.text("worker", at)),
      line(
        deviceName(rows, at),
        used === null ? "" : `in use ${formatNumber(used, 1)} % of ${over}`,
      ),
      h(
        "div",
        { class: "nbp-meter", style: "--fill:var(--c-kernel)" },
        h("i", { style: `width:${used ?? 0}%` }),
      ),
      line(
        rows.text("name", at),
        memory === null ? "" : unbroken(formatBytes(memory * GIB)),
        capability && unbroken(`capability ${capability}`),
      ),
    );
  }

  /** Switch the other views to the worker of a row. */
  #choose(rows: Rows, at: number): void {
    const worker = rows.text("worker", at);
    if (!worker) return;
    this.ctx.session.set({ worker });
    this.ctx.announce(`The other views show ${worker}`);
  }
}

/** Keep the words of a short text on one line. */
function unbroken(text: string): string {
  return text.replaceAll(" ", "\u00a0");
}
