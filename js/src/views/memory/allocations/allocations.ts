/** `Allocations`: a memory snapshot: blocks over time, and segments and holders at a moment. */
import { readPalette } from "../../../canvas/palette";
import type { Context, Exportable, Part } from "../../../core/context";
import { fill } from "../../../core/dom";
import { Loader } from "../../../core/loader";
import type { Blocks, Segments as SegmentState } from "../../../core/protocol/protocol";
import { sameValue } from "../../../core/state/equality";
import { signal } from "../../../core/state/signals";
import { banner, button } from "../../../parts/states";
import { formatNumber, type UnitChoice } from "../../../values/format";
import { BlockChart } from "./blockchart";
import { Controls } from "./controls";
import { legendOf } from "./legend";
import { Level, type Span } from "./level";
import { type Jump, MomentPane } from "./momentpane";
import type { Mark } from "./painter";
import { LevelStore } from "./store";
import { countText, factTexts, hitText, holderText, oomText, stateText, timeText } from "./words";

/** Part of the whole range before the recording, as Python makes it. */
const BEFORE = 0.01 / 1.02;

export class Allocations implements Part {
  readonly el: HTMLElement;
  #controls: Controls;
  #chart: BlockChart;
  #pane: MomentPane;
  #store: LevelStore;
  #loader: Loader;
  #stateLoader: Loader;
  #found: HTMLElement;
  #oom: HTMLElement;
  #facts: HTMLElement;
  #limits: HTMLElement;
  #legend: HTMLElement;
  #out: HTMLButtonElement;
  #whole = signal<Level | null>(null);
  #state = signal<SegmentState | null>(null);
  #bytes = signal<Span | null>(null);
  /** The moment chosen; null for the first failed allocation, or else the end. */
  #moment = signal<{ at: number } | { moment: number } | null>(null);
  #selected = signal<number | null>(null);

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#controls = new Controls(ctx, (what) => this.#prepare(what));
    this.#chart = new BlockChart(ctx, {
      moved: () => this.#moved(),
      choose: (place, hit) => {
        this.#selected.value = hit && "block" in hit ? hit.block.block : null;
        this.#moment.value = { at: place };
      },
      step: (by) => this.#step(by),
      clear: () => this.#clear(),
      tip: (hit) => hitText(hit, (this.#whole.value as Level).info, this.#unit),
      label: (place) => this.#placeText(place),
    });
    this.#pane = new MomentPane(
      ctx,
      (to) => this.#step(to),
      (block) => {
        this.#selected.value = block;
      },
    );
    this.#store = new LevelStore(
      (range, columns) => this.#ask(range, columns),
      () => this.#draw(),
      (reason) => {
        this.#limits.textContent = reason && `Not in more detail: ${reason}`;
      },
      ctx.signal,
    );
    this.#out = button(h, "Show everything", () => this.#chart.reset());
    this.#found = h("span", { "aria-live": "polite" });
    this.#limits = h("span", { class: "nbp-muted" });
    this.#oom = h("div", { hidden: true });
    this.#legend = h("div", { class: "nbp-alloc-legend" });
    this.#facts = h("p", { class: "nbp-foot nbp-alloc-facts" });
    const key = (text: string) => h("kbd", {}, text);
    const keys = h(
      "span",
      { class: "nbp-keys" },
      [key("Ctrl"), " wheel zooms in time, ", key("Alt"), " wheel in height, drag moves, "],
      [key("←"), key("→"), " one event"],
    );
    const count = h("span", { class: "nbp-alloc-count" }, this.#found, " ", this.#limits);
    const foot = h("div", { class: "nbp-foot nbp-alloc-foot" }, count, this.#out, keys);
    const content = [this.#oom, this.#legend, this.#chart.el, foot, this.#facts];
    this.#loader = new Loader(ctx, "blocks", "the blocks", h("div", {}, content));
    this.#stateLoader = new Loader(ctx, "segments", "the segments", this.#pane.el);
    this.el = h(
      "section",
      { class: "nbp-alloc" },
      this.#controls.el,
      this.#loader.el,
      this.#pane.head,
      this.#stateLoader.el,
    );
  }

  /** Entries of the Export menu. */
  exports(): Exportable[] {
    return [
      { title: "Allocations", picture: this.#chart.picture },
      { title: "Segments", picture: this.#pane.map.picture },
    ];
  }

  /** The key of the device that is shown; empty before it is known. */
  get device(): string {
    return this.#whole.value?.info.device ?? "";
  }

  update(): void {
    if (this.ctx.room() === 0) return;
    const { router } = this.ctx.session;
    const params = this.#params();
    const { columns, plotHeight } = this.#chart;
    this.#loader.need(
      { ...params, width: columns, height: plotHeight, bytes: this.#bytes.value },
      "",
      (query, options) => router.request<Blocks>("blocks", query, options),
      ({ result, buffers }) => {
        this.#whole.value = new Level(result, buffers);
      },
    );
    const at = { ...this.#moment.value, selected: this.#selected.value };
    const { state, axis, memory } = params;
    this.#stateLoader.need(
      { state, axis, memory: { device: memory.device }, width: this.#pane.map.width, ...at },
      "",
      (query, options) => router.request<SegmentState>("segments", query, options),
      ({ result, buffers }) => {
        this.#state.value = result;
        this.#pane.map.selected = this.#selected.value;
        this.#pane.map.show(result, buffers);
      },
    );
    this.#controls.show(this.#whole.value?.info);
    this.#moved();
    this.#words();
    this.#draw();
  }

  get #unit(): UnitChoice {
    return this.ctx.session.get("time_unit") ?? "auto";
  }

  #params() {
    const { session } = this.ctx;
    const { axis, search, sizes } = this.#controls;
    const device = session.get("memory_device") ?? "";
    return { state: session.state, memory: { device, sizes }, axis, search };
  }

  async #ask(range: Span, columns: number): Promise<Level> {
    const { session, id, signal: gone } = this.ctx;
    const { plotHeight } = this.#chart;
    const screen = { range, width: columns, height: plotHeight, bytes: this.#bytes.value };
    const options = { slot: `${id}:blocks-zoom`, signal: gone };
    const asked = { ...this.#params(), ...screen };
    const { result, buffers } = await session.router.request<Blocks>("blocks", asked, options);
    return new Level(result, buffers);
  }

  /** Request more detail for the range in view. */
  #moved(): void {
    const whole = this.#whole.value;
    if (!whole) return;
    const { view, columns, bytes, isWhole } = this.#chart;
    if (!sameValue(bytes, this.#bytes.value)) this.#bytes.value = bytes;
    this.#out.hidden = isWhole;
    const { extent } = whole.info;
    const zoomed = view[0] > extent[0] || view[1] < extent[1];
    const scope = JSON.stringify(this.#params());
    this.#store.need(zoomed ? { scope, view, whole: extent, columns, bytes } : null);
  }

  #draw(): void {
    const whole = this.#whole.value;
    if (!whole) return;
    const { info } = whole;
    const { map } = this.#pane;
    this.#chart.selected = this.#selected.value;
    this.#chart.marks = this.#marks(info);
    const near = this.#store.level;
    this.#chart.show(info.extent, whole.most, near ? [whole, near] : [whole]);
    const palette = readPalette(this.ctx.root, this.ctx.theme());
    fill(this.#legend, legendOf(this.ctx.h, palette, info));
    if (!sameValue(map.categories, info.categories)) map.categories = info.categories;
    map.draw();
    this.#found.textContent = countText(near?.info ?? info, (near ?? whole).blocks.length);
  }

  #marks(info: Blocks): Mark[] {
    const marks: Mark[] = info.ooms.map(({ at }) => ({ at, text: "OOM", kind: "oom" }));
    const begin = info.extent[0] + (info.extent[1] - info.extent[0]) * BEFORE;
    if (info.before.bytes) marks.push({ at: begin, text: "recording begins", kind: "begin" });
    const state = this.#state.value;
    if (state) {
      const here = info.ooms.some(({ moment }) => moment === state.moment);
      marks.push({ at: state.at, text: here ? "" : this.#placeText(state.at), kind: "cursor" });
    }
    return marks;
  }

  #words(): void {
    const info = this.#whole.value?.info;
    const state = this.#state.value;
    if (!info) return;
    this.#facts.textContent = factTexts(info, this.#unit).join(" ");
    this.#chart.label = `Memory blocks over time. ${this.#facts.textContent}`;
    if (!state) return;
    this.#failed(info, state);
    this.#pane.show(info, state, this.#unit);
  }

  /** Say what an allocation that failed asked for, what was free, and who held the rest. */
  #failed(info: Blocks, state: SegmentState): void {
    const { h } = this.ctx;
    const oom = info.ooms.find(({ moment }) => moment === state.moment) ?? info.ooms[0];
    this.#oom.hidden = !oom;
    if (!oom) return;
    const here = oom.moment === state.moment;
    const count = info.ooms.length;
    const more = count > 1 ? ` ${formatNumber(count)} allocations failed.` : "";
    const title = h("strong", {}, oomText(oom, this.#unit));
    const words = h("span", {}, title, here ? stateText(state) : "", more);
    const rest = here
      ? h("span", {}, holderText(state))
      : button(h, "Show this moment", () => this.#step("oom"));
    fill(this.#oom, banner(h, "var(--nbp-error)", words, rest));
  }

  /** Keep the moment on another axis; forget moment and block of another device. */
  #prepare(what: "axis" | "device"): void {
    const state = this.#state.value;
    if (what === "device") {
      this.#selected.value = null;
      this.#moment.value = null;
    } else if (state) this.#moment.value = { moment: state.moment };
  }

  #clear(): boolean {
    const there = this.#selected.value !== null || !this.#chart.isWhole;
    if (this.#selected.value !== null) this.#selected.value = null;
    else this.#chart.reset();
    return there;
  }

  #step(by: number | Jump): void {
    const info = this.#whole.value?.info;
    const state = this.#state.value;
    if (!info || !state) return;
    let moment = state.last;
    if (typeof by === "number") moment = Math.min(Math.max(state.moment + by, 0), state.last);
    else if (by === "peak") moment = info.peak.moment;
    else if (by === "oom") {
      const next = info.ooms.find((oom) => oom.moment > state.moment) ?? info.ooms[0];
      if (!next) return;
      moment = next.moment;
    }
    this.#moment.value = { moment };
  }

  #placeText(place: number): string {
    if (this.#controls.axis === "events") return formatNumber(Math.round(place));
    return timeText(place, this.#unit);
  }
}
