/** `Icicle`: the icicle chart of functions: its requests, zoom and selection. */

import { CATEGORIES } from "../../canvas/categories";
import { readPalette } from "../../canvas/palette";
import type { Context, Exportable } from "../../core/context";
import { fill, setAttributes } from "../../core/dom";
import { Loader } from "../../core/loader";
import { selectedNames } from "../../core/state/selecting";
import { signal } from "../../core/state/signals";
import { frameFill } from "../../fills/fills";
import { Chart } from "../../flames/flamecanvas";
import { frameText, totalText } from "../../flames/framelabels";
import { type FlameInfo, type Frame, Frames, type Span } from "../../flames/frames";
import { button, emptyState } from "../../parts/states";
import { formatNumber, plural } from "../../values/format";

/** The category whose slices have a colour by name; here it is that of the package. */
const OPERATOR = CATEGORIES.indexOf("operator");
/** Depths are requested in runs of this size, with one more run on either side. */
const RUN = 16;
/** Follows the names of functions that call themselves; `icicle.py` adds it. */
const RECURSIVE = " ↻";

const ESTIMATED =
  "Estimated from callers: a profile has no call stacks. Self times are exact; paths are split in proportion. Colors: packages.";
const CALLS_ITSELF = "↻ calls itself; these calls are part of the frame";

function plainName(name: string): string {
  return name.endsWith(RECURSIVE) ? name.slice(0, -RECURSIVE.length) : name;
}

export class Icicle {
  readonly el: HTMLElement;
  #found: HTMLElement;
  #out: HTMLButtonElement;
  #about: HTMLElement;
  #body: HTMLElement;
  #empty: HTMLElement;
  #loader: Loader;
  #chart: Chart;
  #frames = signal<Frames | null>(null);
  #chosen = signal<Frame | null>(null);
  #scrolled = signal(0);

  constructor(
    private readonly ctx: Context,
    /** The search field, which also searches the table below. */
    search: HTMLElement,
  ) {
    const { h } = ctx;
    this.#found = h("span", { class: "nbp-label nbp-found", "aria-live": "polite" });
    search.append(this.#found);
    this.#out = button(h, "Zoom out", () => this.#zoom(null));
    this.#chart = new Chart(ctx, {
      go: (frame) => this.#choose(frame),
      zoom: (frame) => {
        if (frame) this.#choose(frame);
        this.#zoom(frame ? [frame.start, frame.end] : null);
      },
      escape: () => {
        if (this.#range) this.#zoom(null);
        else if (this.#chosen.value) this.#choose(null);
        else return false;
        return true;
      },
      show: () => {}, // a profile of functions has no timeline
      search: () => search.querySelector("input")?.select(),
    });
    this.#about = h("span");
    const key = (text: string) => h("kbd", {}, text);
    const keys = [key("↑"), key("↓"), key("←"), key("→"), " move ", key("Enter"), " zoom in "];
    const foot = h(
      "div",
      { class: "nbp-foot nbp-flamefoot" },
      this.#about,
      this.#out,
      h("span", { class: "nbp-keys" }, keys, key("Esc"), " zoom out"),
    );
    const note = h("div", { class: "nbp-foot" }, ESTIMATED);
    this.#body = h("div", {}, this.#chart.el, foot, note);
    this.#empty = h("div", { hidden: true });
    const content = h("div", {}, this.#empty, this.#body);
    this.#loader = new Loader(ctx, "icicle", "the icicle chart", content);
    const head = h(
      "div",
      { class: "nbp-head nbp-flamehead" },
      h("h3", {}, "Icicle chart, estimated"),
      search,
    );
    this.el = h("section", {}, head, this.#loader.el);
    h.on(this.#chart.el, {
      scroll: () => {
        this.#scrolled.value = this.#chart.el.scrollTop;
      },
    });
  }

  exports(): Exportable[] {
    return [{ title: "Icicle chart", picture: this.#chart.el }];
  }

  update(): void {
    if (this.ctx.room() === 0) return;
    void this.#scrolled.value;
    const { session } = this.ctx;
    const [first, last] = this.#chart.rowsInSight();
    const from = Math.max(0, (Math.floor(first / RUN) - 1) * RUN);
    this.#loader.need(
      {
        state: session.state,
        range: this.#range,
        search: this.#search,
        selected: selectedNames(session),
        width: this.#chart.width,
        rows: [from, (Math.floor(last / RUN) + 2) * RUN],
      },
      "",
      (params, options) => session.router.request<FlameInfo>("icicle", params, options),
      ({ result, buffers }) => {
        this.#frames.value = new Frames(result, buffers[0]);
      },
    );
    this.#draw();
  }

  get #range(): Span | null {
    return this.ctx.session.get("flame_range") ?? null;
  }

  get #search(): string {
    return (this.ctx.session.get("search") ?? "").trim();
  }

  /** The chosen frame, as long as its function is selected. */
  get #cursor(): Frame | null {
    const chosen = this.#chosen.value;
    const names = selectedNames(this.ctx.session);
    if (!chosen || !names.includes(plainName(chosen.name))) return null;
    return this.#frames.value?.same(chosen) ?? chosen;
  }

  #draw(): void {
    const frames = this.#frames.value;
    if (!frames) return;
    const { h, session, root } = this.ctx;
    const { info } = frames;
    const nothing = info.empty !== undefined;
    this.#body.hidden = nothing;
    this.#empty.hidden = !nothing;
    const valid = info.search_valid !== false;
    const found = valid
      ? plural(info.found, "frame matches", "frames match")
      : "not a valid expression";
    this.#found.textContent = this.#search && !nothing ? found : "";
    if (nothing) {
      fill(this.#empty, emptyState(h, "No time to draw", info.empty ?? ""));
      return;
    }
    const unit = session.get("time_unit") ?? "auto";
    const words = totalText(info, unit).replace(/ time$/, "");
    const cursor = this.#cursor;
    const tip = (frame: Frame) => {
      const lines = frameText(frame, info, unit);
      return frame.name.endsWith(RECURSIVE) ? [...lines, CALLS_ITSELF] : lines;
    };
    this.#out.hidden = this.#range === null;
    this.#chart.draw(readPalette(root, this.ctx.theme()), {
      frames,
      span: this.#range ?? [0, info.total],
      searching: this.#search !== "" || frames.all.some(({ match }) => match),
      title: this.#range ? `All, ${words}: click to zoom out` : `All, ${words}`,
      cursor,
      fillOf: (frame, dimmed) =>
        frameFill(frame.count > 1 ? frame.kind : OPERATOR, frame.slot, frame.shade, dimmed),
      tip: (frame) => tip(frame).join("\n"),
    });
    const on = formatNumber(frames.all.length);
    this.#chart.label = `Icicle chart of ${words}, estimated from callers, ${on} frames on screen`;
    const about = cursor ? tip(cursor).join(" · ") : "";
    this.#about.textContent = about || "Click a frame to zoom in and to select its function";
    setAttributes(this.#about, { "data-tip": about || null });
  }

  #choose(frame: Frame | null): void {
    this.#chosen.value = frame;
    const name = frame && plainName(frame.name);
    this.ctx.session.set({ selection: name ? [{ name }] : [] });
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
}
