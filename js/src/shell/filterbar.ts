/** The filter bar: fields to set the filter, chips of what is set, Back and Clear. */
import type { Context } from "../core/context";
import { fill, setAttributes } from "../core/dom";
import type { Filter, TraceInfo } from "../core/protocol/protocol";
import type { ReadonlySignal } from "../core/state/signals";
import { RangeField } from "../parts/rangefield";
import { button } from "../parts/states";
import { plural } from "../values/format";
import { type Option, SelectField } from "./controls";
import { chips } from "./filtertext";

const NAME_DELAY = 400;

type ListField = "threads" | "devices" | "streams";

export class FilterBar {
  readonly el: HTMLElement;
  /** The row of fields. */
  readonly bar: HTMLElement;
  #name: HTMLInputElement;
  #nameField: HTMLElement;
  #by: SelectField;
  #steps: RangeField;
  #time: RangeField;
  #lists: Record<ListField, SelectField>;
  #back: HTMLButtonElement;
  #reset: HTMLButtonElement;
  #chips: HTMLElement;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly ctx: Context,
    private readonly info: ReadonlySignal<TraceInfo | null>,
  ) {
    const { h, session } = ctx;
    this.#name = h("input", {
      type: "text",
      placeholder: "contains, or /regex/",
      spellcheck: "false",
    });
    this.#nameField = h(
      "label",
      { class: "nbp-field", "data-kind": "name" },
      h("span", {}, "Name"),
      this.#name,
    );
    h.on(this.#name, {
      input: () => {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => this.#setName(), NAME_DELAY);
      },
      change: () => this.#setName(),
      keydown: (event) => event.key === "Enter" && this.#setName(),
    });
    ctx.signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
    this.#by = new SelectField(h, "Steps by", (step) => session.set({ step }));
    this.#steps = new RangeField(h, "Steps", "", (steps) => session.setFilter({ steps }));
    this.#time = new RangeField(h, "Time", "ms", (range) =>
      session.setFilter({ time_us: range && [range[0] * 1e3, range[1] * 1e3] }),
    );
    const list = (label: string, field: ListField) =>
      new SelectField(h, label, (value) =>
        session.setFilter({ [field]: value === "" ? null : (JSON.parse(value) as number[]) }),
      );
    this.#lists = {
      threads: list("Thread", "threads"),
      devices: list("Device", "devices"),
      streams: list("Stream", "streams"),
    };
    this.#back = button(h, "Back", () => session.back(), "quiet");
    this.#back.dataset.tip = "Restore the previous filter";
    this.#reset = button(h, "Reset", () => session.set({ filter: {} }), "quiet");
    this.#reset.dataset.tip = "Clear all filters";
    const needs: [HTMLElement, keyof Filter][] = [
      [this.#nameField, "name"],
      [this.#steps.el, "steps"],
      [this.#time.el, "time_us"],
      [this.#lists.threads.el, "threads"],
      [this.#lists.devices.el, "devices"],
      [this.#lists.streams.el, "streams"],
    ];
    for (const [element, field] of needs) element.dataset.needs = `filter:${field}`;
    this.#by.el.dataset.needs = "filter:step";
    const fields = [
      this.#by.el,
      this.#steps.el,
      this.#time.el,
      ...Object.values(this.#lists).map((f) => f.el),
    ];
    this.bar = h(
      "div",
      { class: "nbp-bar" },
      this.#nameField,
      fields,
      h("span", { class: "nbp-pair", style: "margin-left:auto" }, this.#back, this.#reset),
    );
    this.#chips = h("div", { class: "nbp-chips", hidden: true });
    this.el = h(
      "div",
      { class: "nbp-filter", role: "search", "aria-label": "Filter" },
      this.bar,
      this.#chips,
    );
  }

  update(): void {
    const { session } = this.ctx;
    const filter = session.get("filter") ?? {};
    const info = this.info.value;
    if (!this.#isFocused(this.#name)) {
      this.#name.value = filter.name ?? "";
      this.#markBroken(false);
    }
    this.#nameField.toggleAttribute("data-on", filter.name !== undefined);
    const { steps } = info ?? {};
    this.#steps.set(filter.steps ?? null, steps ? [steps.first, steps.last] : null);
    const by = steps?.by ?? [];
    const step = session.get("step") ?? "";
    this.#by.set(
      by.map(([value, label]) => ({ value, label })),
      step,
      step !== "",
    );
    this.#by.el.hidden = !by.length;
    const time = filter.time_us;
    this.#time.set(
      time ? [time[0] / 1e3, time[1] / 1e3] : null,
      info ? [0, Math.ceil(info.duration_us / 1e3)] : null,
    );
    this.#setList(
      "threads",
      filter,
      (info?.threads ?? []).map((t) => [t.tid, t.label]),
    );
    this.#setList(
      "devices",
      filter,
      (info?.devices ?? []).map((d) => [d.device, d.label]),
    );
    this.#setList(
      "streams",
      filter,
      (info?.streams ?? []).map((s) => [s, String(s)]),
    );
    const off = session.lacks("filter:steps") !== undefined;
    this.#back.disabled = !session.history.canGoBack || off;
    this.#reset.disabled = Object.keys(filter).length === 0 || off;
    this.#showChips(filter);
  }

  /** The number of set fields, for the button that collapses the bar. */
  get count(): number {
    return Object.keys(this.ctx.session.get("filter") ?? {}).length;
  }

  #setList(field: ListField, filter: Filter, known: [number, string][]): void {
    const chosen = filter[field];
    const options: Option[] = [
      { value: "", label: `all ${known.length}` },
      ...known.map(([value, label]) => ({ value: JSON.stringify([value]), label })),
    ];
    const value = chosen ? JSON.stringify(chosen) : "";
    if (chosen && chosen.length !== 1) {
      options.push({ value, label: `${chosen.length} of ${known.length}` });
    } else if (chosen && !options.some((option) => option.value === value)) {
      options.push({ value, label: String(chosen[0]) });
    }
    const list = this.#lists[field];
    list.set(options, value, chosen !== undefined);
    list.el.hidden = known.length === 0 && !chosen;
  }

  #showChips(filter: Filter): void {
    const { h, session } = this.ctx;
    const items = chips(filter, this.info.value).map(({ field, text }) => {
      const remove = h("button", { type: "button", "aria-label": `Remove filter ${text}` }, "×");
      h.on(remove, {
        click: () => {
          session.setFilter({ [field]: null });
          this.ctx.announce(`Filter removed: ${text}`);
          this.#name.focus();
        },
      });
      const full = field === "name" || field === "within" ? filter[field] : undefined;
      const look = { class: "nbp-chip", "data-tip": full, "data-needs": `filter:${field}` };
      return h("span", look, h("span", {}, text), remove);
    });
    this.#chips.hidden = items.length === 0;
    fill(this.#chips, ...items);
    setAttributes(this.#chips, {
      role: "group",
      "aria-label": plural(items.length, "active filter"),
    });
  }

  #setName(): void {
    clearTimeout(this.#timer);
    const name = this.#name.value.trim();
    const before = this.ctx.session.get("filter")?.name ?? "";
    const broken = name.length > 2 && name.startsWith("/") && !isPattern(name);
    this.#markBroken(broken);
    if (!broken && name !== before) this.ctx.session.setFilter({ name: name || null });
  }

  #markBroken(broken: boolean): void {
    this.#nameField.toggleAttribute("data-bad", broken);
    setAttributes(this.#name, { "aria-invalid": broken ? "true" : null });
    const words = "End the regular expression with / and close its brackets.";
    setAttributes(this.#nameField, { "data-tip": broken ? words : null });
  }

  #isFocused(element: HTMLElement): boolean {
    return (element.getRootNode() as ShadowRoot | Document).activeElement === element;
  }
}

/** Whether Python will most likely accept the pattern; Python decides. */
function isPattern(text: string): boolean {
  if (!text.endsWith("/")) return false;
  try {
    RegExp(text.slice(1, -1));
    return true;
  } catch {
    return /\(\?|\\Q/.test(text); // RE2 has syntax that the browser does not
  }
}
