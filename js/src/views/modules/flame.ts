/** `Flame`: the flame graph of modules, operators and frames: its requests, controls and selection. */

import { CATEGORIES } from "../../canvas/categories";
import { readPalette } from "../../canvas/palette";
import type { Context, Exportable, Part } from "../../core/context";
import { fill, setAttributes } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { TraceInfo } from "../../core/protocol/protocol";
import { sameValue } from "../../core/state/equality";
import { signal } from "../../core/state/signals";
import { Chart, type ChartEvents } from "../../flames/flamecanvas";
import { frameText, totalText, WIDTHS } from "../../flames/framelabels";
import { type FlameInfo, type Frame, Frames, type Span } from "../../flames/frames";
import { Segments } from "../../parts/segments";
import { button, emptyState, link } from "../../parts/states";
import { hasTimeline, showInTimeline } from "../../table/links/slices";
import { TableView } from "../../table/tableview";
import { formatNumber, plural } from "../../values/format";
import { exactPattern } from "../../values/names";

const MODULE = CATEGORIES.indexOf("module");
/** Depths are requested in runs of this size, with one more run on either side. */
const RUN = 16;
const TABLE_LINES = 8;
const PLUMBING = ["id", "parent_id", "depth", "offset_us", "offset_bytes"];

export class Flame {
  readonly el: HTMLElement;
  #found: HTMLElement;
  #by: Segments<string>;
  #order: Segments<string>;
  #out: HTMLButtonElement;
  #show: HTMLButtonElement;
  #filter: HTMLButtonElement;
  #loader: Loader;
  #chart: Chart;
  #table: TableView;
  #body: HTMLElement;
  #about: HTMLElement;
  #empty: HTMLElement;
  #info = signal<TraceInfo | null>(null);
  #frames = signal<Frames | null>(null);
  /** The chosen frame, and the graph that it belongs to. */
  #chosen = signal<{ frame: Frame; of: unknown } | null>(null);
  #scrolled = signal(0);
  #tableShown = signal(false);

  constructor(
    private readonly ctx: Context,
    /** Called when a module is chosen, with its name. */
    private readonly chosen: (name: string) => void,
    /** The search field, which also searches the tree below. */
    search: HTMLElement,
  ) {
    const { h, session } = ctx;
    // Inside the field, so that nothing moves when it appears.
    this.#found = h("span", { class: "nbp-label nbp-found", "aria-live": "polite" });
    search.append(this.#found);
    this.#by = new Segments(h, "Width", (flame_by) => session.set({ flame_by, flame_range: null }));
    this.#order = new Segments(h, "Order", (flame_order) =>
      session.set({ flame_order, flame_range: null }),
    );
    this.#out = button(h, "Zoom out", () => this.#zoom(null));
    this.#show = button(h, "Show in timeline", () => this.#showInTimeline());
    this.#filter = button(h, "Filter to name", () => this.#filterToName(), "primary");
    this.#filter.dataset.needs = "filter:name";
    this.#show.dataset.needs = "search";
    this.#chart = new Chart(
      ctx,
      this.#events(() => search.querySelector("input")?.select()),
    );
    this.#table = new TableView(ctx, {
      table: "flame",
      title: "Frames",
      nouns: ["frame", "frames"],
      calls: ["call", "calls"],
      groupings: [],
      stacks: false,
      lines: TABLE_LINES,
      without: () => PLUMBING,
      more: () => ({ flame: { by: this.#options().by, order: this.#options().order } }),
      foot: "",
    });
    this.#table.el.hidden = true;
    this.#table.el.style.marginTop = "12px";
    const asTable = link(h, "View as table", () => {
      const shown = !this.#tableShown.value;
      this.#table.el.hidden = !shown;
      asTable.textContent = shown ? "Hide the table" : "View as table";
      this.#tableShown.value = shown;
    });
    this.#about = h("span");
    const key = (text: string) => h("kbd", {}, text);
    const keys = [key("↑"), key("↓"), key("←"), key("→"), " move ", key("Enter"), " zoom in "];
    const foot = h(
      "div",
      { class: "nbp-foot nbp-flamefoot" },
      this.#about,
      this.#out,
      this.#show,
      this.#filter,
      asTable,
      h("span", { class: "nbp-keys" }, keys, key("Esc"), " zoom out"),
    );
    this.#body = h("div", {}, this.#chart.el, foot, this.#table.el);
    this.#empty = h("div", { hidden: true });
    this.#loader = new Loader(
      ctx,
      "flame",
      "the flame graph",
      h("div", {}, this.#empty, this.#body),
    );
    const head = h(
      "div",
      { class: "nbp-head nbp-flamehead" },
      h("h3", {}, "Flame graph"),
      search,
      h("span", { class: "nbp-gap" }),
      this.#order.el,
      this.#by.el,
    );
    this.el = h("section", {}, head, this.#loader.el);
    h.on(this.#chart.el, {
      scroll: () => {
        this.#scrolled.value = this.#chart.el.scrollTop;
      },
    });
  }

  setInfo(info: TraceInfo): void {
    this.#info.value = info;
    this.#table.setInfo(info);
  }

  /** The entries of the Export menu. */
  exports(): Exportable[] {
    const picture: Exportable = { title: "Flame graph", picture: this.#chart.el };
    return this.#tableShown.value ? [picture, this.#table.exported] : [picture];
  }

  get parts(): readonly Part[] {
    return [this, { update: () => this.#tableShown.value && this.#table.update() }];
  }

  update(): void {
    if (this.ctx.room() === 0) return;
    void this.#scrolled.value;
    const { session } = this.ctx;
    this.#head();
    const screen = { width: this.#chart.width, rows: this.#rows() };
    this.#loader.need(
      { state: session.state, ...this.#options(), ...screen },
      "",
      (params, options) => session.router.request<FlameInfo>("flame", params, options),
      ({ result, buffers }) => {
        this.#frames.value = new Frames(result, buffers[0]);
      },
    );
    this.#draw();
  }

  /** Identifies the graph: a chosen frame is valid only within one graph. */
  #graph(): unknown {
    const { by, order } = this.#options();
    const { state } = this.ctx.session;
    return { state, by, order };
  }

  /** The chosen frame in the graph on screen. */
  get #cursor(): Frame | null {
    const chosen = this.#chosen.value;
    if (!chosen || !sameValue(chosen.of, this.#graph())) return null;
    return this.#frames.value?.same(chosen.frame) ?? chosen.frame;
  }

  #options() {
    const { session } = this.ctx;
    return {
      by: session.get("flame_by") ?? "auto",
      order: session.get("flame_order") ?? "left_heavy",
      range: session.get("flame_range") ?? null,
      search: (session.get("search") ?? "").trim(),
    };
  }

  #rows(): Span {
    const [first, last] = this.#chart.rowsInSight();
    const from = Math.max(0, (Math.floor(first / RUN) - 1) * RUN);
    return [from, (Math.floor(last / RUN) + 2) * RUN];
  }

  #head(): void {
    const { has = {}, hints = {} } = this.#info.value ?? {};
    const { by, order, range } = this.#options();
    const auto = has.device === false ? "host" : "device";
    const kept = (width: string) => this.ctx.session.lacks(`flame:${width}:${order}`);
    const off = (needs: "device" | "memory", width: string) =>
      has[needs] === false ? (hints[needs] ?? "Not in this trace.") : kept(width);
    this.#by.set(
      [
        { value: "host", label: WIDTHS.host, off: kept("host") },
        { value: "device", label: WIDTHS.device, off: off("device", "device") },
        { value: "bytes", label: "Bytes", off: off("memory", "bytes") },
      ],
      by === "auto" ? auto : by,
    );
    const orders = [
      { value: "left_heavy", label: "Left-heavy" },
      { value: "time", label: "In time order" },
    ].map((one) => ({ ...one, off: this.ctx.session.lacks(`flame:${by}:${one.value}`) }));
    this.#order.set(orders, order);
    this.#out.hidden = range === null;
    const named = this.#cursor?.name || null;
    this.#show.hidden = named === null || !hasTimeline(this.ctx.session);
    const pattern = named === null ? "" : exactPattern([named], true);
    this.#filter.hidden = named === null || this.ctx.session.get("filter")?.name === pattern;
  }

  #draw(): void {
    const frames = this.#frames.value;
    if (!frames) return;
    const cursor = this.#cursor;
    const { h, session, root } = this.ctx;
    const { info } = frames;
    const nothing = info.empty !== undefined;
    this.#body.hidden = nothing;
    this.#empty.hidden = !nothing;
    const { search, range } = this.#options();
    const valid = info.search_valid !== false;
    const found = valid
      ? plural(info.found, "frame matches", "frames match")
      : "not a valid expression";
    this.#found.textContent = search && !nothing ? found : "";
    if (nothing) {
      const what = WIDTHS[info.by].toLowerCase();
      fill(this.#empty, emptyState(h, `No ${what} to draw`, info.empty ?? ""));
      return;
    }
    const unit = session.get("time_unit") ?? "auto";
    const span: Span = range ?? [0, info.total];
    const words = totalText(info, unit);
    this.#chart.draw(readPalette(root, this.ctx.theme()), {
      frames,
      span,
      searching: search !== "",
      title: range ? `All, ${words}: click to zoom out` : `All, ${words}`,
      cursor,
      tip: (frame) => frameText(frame, info, unit).join("\n"),
    });
    this.#chart.label = `Flame graph of ${words}, ${formatNumber(frames.all.length)} frames on screen`;
    const about = cursor ? frameText(cursor, info, unit).join(" · ") : "";
    this.#about.textContent = about || "Click a frame to zoom in";
    setAttributes(this.#about, { "data-tip": about || null });
  }

  #events(search: () => void): ChartEvents {
    return {
      go: (frame) => this.#choose(frame),
      zoom: (frame) => {
        if (frame) this.#choose(frame);
        this.#zoom(frame ? [frame.start, frame.end] : null);
        if (frame?.kind === MODULE) this.chosen(frame.name);
      },
      escape: () => {
        if (this.#options().range) this.#zoom(null);
        else if (this.#cursor) this.#choose(null);
        else return false;
        return true;
      },
      show: () => this.#showInTimeline(),
      search,
    };
  }

  #choose(frame: Frame | null): void {
    this.#chosen.value = frame && { frame, of: this.#graph() };
    const info = this.#frames.value?.info;
    const unit = this.ctx.session.get("time_unit") ?? "auto";
    if (frame && info) this.ctx.announce(frameText(frame, info, unit).join(", "));
  }

  #zoom(span: Span | null): void {
    const total = this.#frames.value?.info.total ?? 0;
    const whole = span === null || (span[0] <= 0 && span[1] >= total);
    this.ctx.session.set({ flame_range: whole ? null : [span[0], span[1]] });
    setAttributes(this.#out, { "data-tip": "Show everything [Esc]" });
  }

  #showInTimeline(): void {
    const name = this.#cursor?.name;
    if (name) showInTimeline(this.ctx, [name]);
  }

  #filterToName(): void {
    const name = this.#cursor?.name;
    if (name) this.ctx.session.setFilter({ name: exactPattern([name], true) });
  }
}
