/** The filter bar: fields to set the filter, in one line, and Back and Reset. */
import type { Context } from "../../core/context";
import type { Filter, TraceInfo } from "../../core/protocol/protocol";
import type { ReadonlySignal } from "../../core/state/signals";
import { type Fitted, Overflow } from "../../parts/overflow";
import { RangeField } from "../../parts/rangefield";
import { button } from "../../parts/states";
import type { Suggestions } from "../../tools/suggestions";
import { formatNumber } from "../../values/format";
import { type Option, SelectField } from "../controls";
import { NameField } from "./namefield";

type ListField = "threads" | "devices" | "streams";

/** The widths of fields, CSS px: a longer choice is cut, so that the line never changes. */
const WIDTHS = { by: 200, threads: 132, devices: 108, streams: 116 };
/** The least room for the name field, and that of Back and Reset with the gaps. */
const NAME = 168;
const ENDS = 124;

export class FilterBar {
  readonly el: HTMLElement;
  /** The row of fields. */
  readonly bar: HTMLElement;
  readonly name: NameField;
  #by: SelectField;
  #steps: RangeField;
  #time: RangeField;
  #lists: Record<ListField, SelectField>;
  #over: Overflow;
  #back: HTMLButtonElement;
  #reset: HTMLButtonElement;

  constructor(
    private readonly ctx: Context,
    private readonly info: ReadonlySignal<TraceInfo | null>,
    names: () => Promise<Suggestions | null>,
  ) {
    const { h, session } = ctx;
    this.el = h("div", { class: "nbp-filter", role: "search", "aria-label": "Filter" });
    this.name = new NameField(ctx, names);
    this.#by = new SelectField(h, "Steps by", (step) => session.set({ step }));
    this.#steps = new RangeField(h, "Steps", "", (steps) => session.setFilter({ steps }));
    const setTime = (range: [number, number] | null) =>
      session.setFilter({ time_us: range && [range[0] * 1e3, range[1] * 1e3] });
    this.#time = new RangeField(h, "Time", "ms", setTime, 4);
    const list = (label: string, field: ListField) => {
      const select = new SelectField(h, label, (value) =>
        session.setFilter({ [field]: value === "" ? null : (JSON.parse(value) as number[]) }),
      );
      select.el.style.width = `${WIDTHS[field]}px`;
      return select;
    };
    this.#lists = {
      threads: list("Thread", "threads"),
      devices: list("Device", "devices"),
      streams: list("Stream", "streams"),
    };
    this.#by.el.style.width = `${WIDTHS.by}px`;
    this.#back = button(h, "Back", () => session.back(), "quiet");
    this.#back.dataset.tip = "Restore the previous filter";
    this.#reset = button(h, "Reset", () => session.set({ filter: {} }), "quiet");
    this.#reset.dataset.tip = "Clear all filters";
    const needs: [HTMLElement, keyof Filter][] = [
      [this.name.el, "name"],
      [this.#steps.el, "steps"],
      [this.#time.el, "time_us"],
      [this.#lists.threads.el, "threads"],
      [this.#lists.devices.el, "devices"],
      [this.#lists.streams.el, "streams"],
    ];
    for (const [element, field] of needs) element.dataset.needs = `filter:${field}`;
    this.#by.el.dataset.needs = "filter:step";
    const ends = h(
      "span",
      { class: "nbp-pair", style: "margin-left:auto" },
      this.#back,
      this.#reset,
    );
    this.bar = h("div", { class: "nbp-bar" }, this.name.el);
    this.#over = new Overflow(h, this.bar, ctx.signal);
    this.bar.append(this.#over.more, ends);
    this.el.append(this.bar, this.#over.panel);
  }

  update(): void {
    const { session } = this.ctx;
    const filter = session.get("filter") ?? {};
    const info = this.info.value;
    this.name.update(filter.name);
    const { steps } = info ?? {};
    this.#steps.set(filter.steps ?? null, steps ? [steps.first, steps.last] : null);
    this.#steps.el.hidden = steps?.recorded === false && !filter.steps;
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
    this.#reset.disabled = !this.count || off;
    this.#fit(filter, step);
  }

  /** Move fields without room into the menu; a folded bar may break its lines. */
  #fit(filter: Filter, step: string): void {
    const { ctx } = this;
    const lists = Object.entries(this.#lists) as [ListField, SelectField][];
    const fields: Fitted[] = [
      { el: this.#by.el, width: WIDTHS.by, on: step !== "" },
      { el: this.#steps.el, width: this.#steps.width, on: !!filter.steps },
      { el: this.#time.el, width: this.#time.width, on: !!filter.time_us },
      ...lists.map(([field, { el }]) => ({ el, width: WIDTHS[field], on: !!filter[field] })),
    ];
    const free = ctx.width() === "narrow" || ctx.room() === 0;
    this.#over.fit(fields, free ? null : ctx.room() - NAME - ENDS);
  }

  /** The number of set fields, for the button that collapses the bar. */
  get count(): number {
    return Object.keys(this.ctx.session.get("filter") ?? {}).length;
  }

  #setList(field: ListField, filter: Filter, known: [number, string][]): void {
    const chosen = filter[field];
    const all = formatNumber(this.info.value?.of?.[field] ?? known.length);
    const options: Option[] = [
      { value: "", label: `all ${all}` },
      ...known.map(([value, label]) => ({ value: JSON.stringify([value]), label })),
    ];
    const value = chosen ? JSON.stringify(chosen) : "";
    if (chosen && chosen.length !== 1) {
      options.push({ value, label: `${chosen.length} of ${all}` });
    } else if (chosen && !options.some((option) => option.value === value)) {
      options.push({ value, label: String(chosen[0]) });
    }
    const list = this.#lists[field];
    list.set(options, value, !!chosen);
    list.el.hidden = !known.length && !chosen;
  }
}
