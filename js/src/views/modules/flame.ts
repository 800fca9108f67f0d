/** The flame graph: modules, operators and Python frames, as wide as the time or memory they take. */
import { CATEGORIES } from "../../canvas/categories";
import { readPalette } from "../../canvas/palette";
import type { Context } from "../../core/context";
import { fill, setAttributes } from "../../core/dom";
import { Loader } from "../../core/loader";
import type { TraceInfo } from "../../core/protocol";
import { Segments } from "../../parts/segments";
import { button, emptyState, link } from "../../parts/states";
import { hasTimeline, showInTimeline } from "../../table/slicesof";
import { TableView } from "../../table/tableview";
import { formatNumber, plural } from "../../values/format";
import { exactPattern } from "../../values/names";
import { Chart, type ChartEvents } from "./chart";
import { type FlameInfo, type Frame, Frames, type Span } from "./frames";
import { frameText, totalText, WIDTHS } from "./words";

const MODULE = CATEGORIES.indexOf("module");
/** Depths are asked for in runs of so many, one run more on either side. */
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
  #info: TraceInfo | null = null;
  #frames: Frames | null = null;
  #cursor: Frame | null = null;
  #scope = "";

  constructor(
    private readonly ctx: Context,
    /** Somebody chose a module by its name. */
    private readonly chosen: (name: string) => void,
    /** What searches, here and in what stands below. */
    search: HTMLElement,
  ) {
    const { h, session } = ctx;
    this.#found = h("small");
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
      more: () => ({ flame: { by: this.#wish().by, order: this.#wish().order } }),
      foot: "",
    });
    this.#table.el.hidden = true;
    this.#table.el.style.marginTop = "12px";
    const asTable = link(h, "View as table", () => {
      const { el } = this.#table;
      el.hidden = !el.hidden;
      asTable.textContent = el.hidden ? "View as table" : "Hide the table";
      this.update();
    });
    this.#about = h("span");
    const key = (text: string) => h("kbd", {}, text);
    const keys = [key("↑"), key("↓"), key("←"), key("→"), " move ", key("Enter"), " zoom in "];
    const foot = h(
      "div",
      { class: "nbp-foot" },
      this.#about,
      asTable,
      h("span", { class: "nbp-keys", style: "margin-left:auto" }, keys, key("Esc"), " zoom out"),
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
      { class: "nbp-head" },
      h("h3", {}, "Flame graph", this.#found),
      search,
      h("span", { class: "nbp-gap" }),
      this.#out,
      this.#show,
      this.#filter,
      this.#order.el,
      this.#by.el,
    );
    this.el = h("section", {}, head, this.#loader.el);
    this.#chart.el.addEventListener("scroll", () => this.update(), { signal: ctx.signal });
  }

  setInfo(info: TraceInfo): void {
    this.#info = info;
    this.#table.setInfo(info);
  }

  update(): void {
    if (this.ctx.room() === 0) return;
    const { session } = this.ctx;
    const { by, order, range, search } = this.#wish();
    const scope = JSON.stringify([session.traceKey, session.state.filter, by, order]);
    if (scope !== this.#scope) {
      this.#scope = scope;
      this.#cursor = null;
    }
    this.#head();
    const params = { state: session.state, by, order, range, search };
    const screen = { width: this.#chart.width, rows: this.#rows() };
    this.#loader.need(
      JSON.stringify([params, screen]),
      "",
      (options) => session.router.request<FlameInfo>("flame", { ...params, ...screen }, options),
      ({ result, buffers }) => {
        this.#frames = new Frames(result, buffers[0]);
        this.#cursor = this.#cursor && (this.#frames.same(this.#cursor) ?? this.#cursor);
        this.update(); // a scroll bar may have come or gone
      },
    );
    this.#draw();
  }

  #wish() {
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
    const { has = {}, hints = {} } = this.#info ?? {};
    const { by, order, range } = this.#wish();
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
    const named = this.#cursor?.name ? this.#cursor.name : null;
    this.#show.hidden = named === null || !hasTimeline(this.ctx.session);
    const pattern = named === null ? "" : exactPattern([named], true);
    this.#filter.hidden = named === null || this.ctx.session.get("filter")?.name === pattern;
  }

  #draw(): void {
    const frames = this.#frames;
    if (!frames) return;
    const { h, session, root } = this.ctx;
    const { info } = frames;
    const nothing = info.empty !== undefined;
    this.#body.hidden = nothing;
    this.#empty.hidden = !nothing;
    const { search, range } = this.#wish();
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
    const wish = session.get("time_unit") ?? "auto";
    const span: Span = range ?? [0, info.total];
    const words = totalText(info, wish);
    this.#chart.draw(readPalette(root, this.ctx.theme()), {
      frames,
      span,
      searching: search !== "",
      title: range ? `All, ${words}: click to zoom out` : `All, ${words}`,
      cursor: this.#cursor,
      tip: (frame) => frameText(frame, info, wish).join("\n"),
    });
    this.#chart.label = `Flame graph of ${words}, ${formatNumber(frames.all.length)} frames on screen`;
    const about = this.#cursor ? frameText(this.#cursor, info, wish).join(" · ") : "";
    this.#about.textContent = about || "Click a frame to zoom in";
    if (!this.#table.el.hidden) this.#table.update();
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
        if (this.#wish().range) this.#zoom(null);
        else if (this.#cursor) this.#choose(null);
        else return false;
        return true;
      },
      show: () => this.#showInTimeline(),
      search,
    };
  }

  #choose(frame: Frame | null): void {
    this.#cursor = frame;
    const info = this.#frames?.info;
    const wish = this.ctx.session.get("time_unit") ?? "auto";
    if (frame && info) this.ctx.announce(frameText(frame, info, wish).join(", "));
    this.update();
  }

  #zoom(span: Span | null): void {
    const total = this.#frames?.info.total ?? 0;
    const whole = span === null || (span[0] <= 0 && span[1] >= total);
    this.ctx.session.set({ flame_range: whole ? null : [span[0], span[1]] });
    setAttributes(this.#out, { "data-tip": "Show everything [Esc]" });
  }

  #showInTimeline(): void {
    if (this.#cursor?.name) showInTimeline(this.ctx, [this.#cursor.name]);
  }

  #filterToName(): void {
    const name = this.#cursor?.name;
    if (name) this.ctx.session.setFilter({ name: exactPattern([name], true) });
  }
}
