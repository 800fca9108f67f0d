/** The top bar: selects for run, worker and span, the time unit, and the Export menu. */
import type { Context, ExportEntry } from "../core/context";
import { fill, type Make } from "../core/dom";
import { fullScreenButton, fullScreenOf } from "../core/fullscreen";
import type { Catalog } from "../core/protocol/protocol";
import { sameValue } from "../core/state/equality";
import type { ReadonlySignal } from "../core/state/signals";
import { Segments } from "../parts/segments";
import { button } from "../parts/states";
import type { UnitWish } from "../values/format";

const UNITS: { value: UnitWish; label: string }[] = [
  { value: "auto", label: "Auto" },
  { value: "us", label: "µs" },
  { value: "ms", label: "ms" },
  { value: "s", label: "s" },
];

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
  }
}

export class Controls {
  readonly el: HTMLElement;
  #units: Segments<UnitWish>;
  #unit: HTMLElement;
  #gap: HTMLElement;
  #menu: HTMLButtonElement;
  #full: HTMLButtonElement;
  #run: SelectField;
  #worker: SelectField;
  #span: SelectField;

  constructor(
    private readonly ctx: Context,
    private readonly catalog: ReadonlySignal<Catalog | null>,
    exports: () => ExportEntry[],
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
    const menu = button(h, "Export ▾", () => this.#export(menu, exports()));
    this.#menu = menu;
    this.#gap = h("span", { class: "nbp-gap" });
    this.#full = fullScreenButton(ctx, "all", "Full screen");
    menu.setAttribute("aria-haspopup", "true");
    menu.setAttribute("aria-expanded", "false");
    this.el = h(
      "div",
      { class: "nbp-bar" },
      this.#run.el,
      this.#worker.el,
      this.#span.el,
      this.#gap,
      this.#unit,
      menu,
      this.#full,
    );
  }

  /** Move the unit and Export elsewhere where the widget is narrow, or back with null. */
  place(elsewhere: [units: HTMLElement, menu: HTMLElement] | null): void {
    const [units, menu] = elsewhere ?? [this.el, this.el];
    if (this.#menu.parentElement === menu) return;
    const gap = elsewhere ? units : this.el;
    gap.append(this.#gap);
    units.append(this.#unit);
    menu.append(this.#menu);
  }

  update(): void {
    const { session } = this.ctx;
    const full = fullScreenOf(this.ctx).shown.value === "all";
    this.#full.setAttribute("aria-pressed", String(full));
    this.#units.set(UNITS, session.get("time_unit") ?? "auto");
    const runs = this.catalog.value?.runs ?? [];
    const { run: runName, worker: workerName, span } = session.state;
    const run = runs.find((entry) => entry.run === runName) ?? runs[0];
    const worker = run?.workers.find((entry) => entry.worker === workerName) ?? run?.workers[0];
    const spans = worker?.spans ?? [];
    this.#run.set(
      runs.map((entry) => ({ value: entry.run, label: entry.run || "(top folder)" })),
      run?.run ?? "",
    );
    this.#worker.set(
      (run?.workers ?? []).map((entry) => ({ value: entry.worker, label: entry.worker })),
      worker?.worker ?? "",
    );
    this.#span.set(
      spans.map((entry) => ({
        value: String(entry.span),
        label: `${entry.span} of ${spans.length}`,
      })),
      String(spans.some((entry) => entry.span === span) ? span : (spans[0]?.span ?? "")),
    );
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

  #export(anchor: HTMLElement, entries: ExportEntry[]): void {
    const { h, popup, announce } = this.ctx;
    const items = entries.map(({ label, run }) => {
      const item = h("button", { type: "button" }, label);
      return h.on(item, {
        click: () => {
          item.disabled = true;
          item.textContent = "Working";
          run()
            .then(announce, (error: unknown) => announce(`Error: ${String(error)}`))
            .finally(() => popup.closeMenu());
        },
      });
    });
    popup.toggleMenu(anchor, "Export", ...items);
  }
}
