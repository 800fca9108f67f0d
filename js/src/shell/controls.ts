/** The top bar: selects for run, worker and span, the time unit, and the Export menu. */
import type { Context, Exportable } from "../core/context";
import { fill, type Make, setAttributes } from "../core/dom";
import { fullScreenButton, fullScreenOf } from "../core/fullscreen";
import type { Catalog } from "../core/protocol/protocol";
import { messageOf } from "../core/protocol/router";
import { sameValue } from "../core/state/equality";
import type { ReadonlySignal } from "../core/state/signals";
import type { Exporting } from "../export/main";
import { Segments } from "../parts/segments";
import { button } from "../parts/states";
import { TIME_UNITS, type UnitChoice } from "../values/format";
import { apart } from "../values/names";

/** Characters of the name of a worker; what tells it apart from the others stays. */
const LONGEST = 24;

const CHOICES: UnitChoice[] = ["auto", "ns", "us", "ms", "s"];
const UNITS = CHOICES.map((value) => ({
  value,
  label: value === "auto" ? "Auto" : TIME_UNITS[value].label,
}));

export interface Option {
  value: string;
  label: string;
}

/** A select whose label is inside the field. */
export class SelectField {
  readonly el: HTMLLabelElement;
  #select: HTMLSelectElement;
  #shown: readonly Option[] = [];

  constructor(
    private readonly h: Make,
    label: string,
    choose: (value: string) => void,
  ) {
    this.#select = h("select");
    h.on(this.#select, { change: () => choose(this.#select.value) });
    this.el = h(
      "label",
      { class: "nbp-field", "data-kind": "select" },
      h("span", {}, label),
      this.#select,
    );
  }

  set(options: readonly Option[], value: string, on = false): void {
    const { h } = this;
    if (!sameValue(options, this.#shown)) {
      this.#shown = options;
      fill(this.#select, ...options.map((o) => h("option", { value: o.value }, o.label)));
    }
    this.#select.value = value;
    this.el.toggleAttribute("data-on", on);
    const label = options.find((option) => option.value === value)?.label ?? "";
    const whole = label.includes("…") ? value : label;
    setAttributes(this.el, { "data-tip": whole.length > 12 ? whole : null });
  }
}

export class Controls {
  readonly el: HTMLElement;
  #units: Segments<UnitChoice>;
  #unit: HTMLElement;
  #gap: HTMLElement;
  #between: HTMLElement;
  #news: HTMLButtonElement;
  #menu: HTMLButtonElement;
  #full: HTMLButtonElement;
  #run: SelectField;
  #worker: SelectField;
  #span: SelectField;

  constructor(
    private readonly ctx: Context,
    private readonly catalog: ReadonlySignal<Catalog | null>,
    /** The elements between the selects and the other controls. */
    between: HTMLElement,
    private readonly help: HTMLElement,
    events: { exports(): readonly Exportable[]; refresh(): void },
  ) {
    const { h, session } = ctx;
    this.#run = new SelectField(h, "Run", (run) => this.#choose(run));
    this.#worker = new SelectField(h, "Worker", (worker) =>
      this.#choose(session.get("run"), worker, session.get("span")),
    );
    this.#span = new SelectField(h, "Span", (span) =>
      this.#choose(session.get("run"), session.get("worker"), Number(span)),
    );
    for (const { el } of [this.#run, this.#worker, this.#span]) el.dataset.needs = "profile";
    this.#units = new Segments(h, "Unit of time", (time_unit) => session.set({ time_unit }));
    // One element, so that a line never breaks between label and buttons.
    this.#unit = h(
      "span",
      { class: "nbp-pair" },
      h("span", { class: "nbp-label" }, "Time unit"),
      this.#units.el,
    );
    const menu = button(h, "Export ▾", () => void this.#export(menu, events.exports()));
    menu.dataset.offline = ""; // charts and tables on screen can be exported without Python
    this.#menu = menu;
    // In the room between the fields or beside the tabs, so that no control moves when it appears.
    this.#news = button(h, "", () => events.refresh());
    this.#news.classList.add("nbp-news");
    this.#gap = h("span", { class: "nbp-gap" });
    this.#full = fullScreenButton(ctx, "all", "Full screen");
    setAttributes(menu, { "aria-haspopup": "true", "aria-expanded": "false" });
    this.#between = h("div", { class: "nbp-between" }, this.#news, between);
    this.el = h(
      "div",
      { class: "nbp-bar" },
      this.#run.el,
      this.#worker.el,
      this.#span.el,
      this.#between,
      this.#unit,
      menu,
      help,
      this.#full,
    );
  }

  /**
   * Move the unit and Export elsewhere where the widget is narrow, or back with null.
   *
   * @param facts - has the button that refreshes before it; null for its place in the bar
   */
  place(
    elsewhere: [units: HTMLElement, menu: HTMLElement] | null,
    facts: HTMLElement | null,
  ): void {
    if (facts) facts.before(this.#news);
    else this.#between.prepend(this.#news);
    const [units, menu] = elsewhere ?? [this.el, this.el];
    if (this.#menu.parentElement === menu) return;
    if (elsewhere) {
      units.append(this.#gap, this.#unit);
      menu.append(this.#menu);
    } else {
      this.#gap.remove();
      this.help.before(this.#unit, this.#menu);
    }
  }

  update(): void {
    const { session } = this.ctx;
    const full = fullScreenOf(this.ctx).shown.value === "all";
    this.#full.setAttribute("aria-pressed", String(full));
    const words = session.files?.words;
    this.#news.hidden = !words;
    this.#news.textContent = this.#news.dataset.tip = words ? `Refresh · ${words}` : "";
    this.#units.set(UNITS, session.get("time_unit") ?? "auto");
    const { runs = [], baselines } = this.catalog.value ?? {};
    // The field of the baseline comes later, into room that is left for it.
    const compares = runs.length > 1 || (runs[0]?.workers.length ?? 0) > 1 || baselines;
    this.el.toggleAttribute("data-compares", Boolean(compares));
    const { run: runName, worker: workerName, span } = session.state;
    const run = runs.find((entry) => entry.run === runName) ?? runs[0];
    const worker = run?.workers.find((entry) => entry.worker === workerName) ?? run?.workers[0];
    const spans = worker?.spans ?? [];
    this.#run.set(
      runs.map((entry) => ({ value: entry.run, label: entry.run || "(top folder)" })),
      run?.run ?? "",
    );
    const workers = (run?.workers ?? []).map((entry) => entry.worker);
    const short = apart(workers, (text) => text.length <= LONGEST);
    this.#worker.set(
      workers.map((value, at) => ({ value, label: short[at] ?? value })),
      worker?.worker ?? "",
    );
    this.#span.set(
      spans.map((entry) => ({
        value: String(entry.span),
        label: `${entry.span} of ${spans.length}${entry.label ? ` · ${entry.label}` : ""}`,
      })),
      String(spans.some((entry) => entry.span === span) ? span : (spans[0]?.span ?? "")),
    );
    // One file of a worker is no choice.
    this.#span.el.hidden = spans.length === 1;
  }

  /** Choose a profile; the first worker and span where not given. */
  #choose(runName: string, workerName?: string, spanNumber?: number): void {
    const run = this.catalog.value?.runs.find((entry) => entry.run === runName);
    const known = run?.workers.find((entry) => entry.worker === workerName);
    const worker = known ?? run?.workers[0];
    const span = worker?.spans.find((entry) => entry.span === spanNumber) ?? worker?.spans[0];
    if (!run || !worker || !span) return;
    this.ctx.session.set({
      run: run.run,
      worker: worker.worker,
      span: span.span,
      selection: [],
    });
  }

  /** Open the Export menu, whose script is loaded at its first use. */
  async #export(anchor: HTMLElement, items: readonly Exportable[]): Promise<void> {
    const { ctx } = this;
    const { h, popup, session } = ctx;
    try {
      const { openMenu } = await session.scripts.load<Exporting>("export");
      if (!ctx.signal.aborted) popup.toggleMenu(anchor, "Export", openMenu(ctx, items));
    } catch (error) {
      const words = h("p", { class: "nbp-error" }, messageOf(error));
      popup.toggleMenu(anchor, "Export", words);
    }
  }
}
