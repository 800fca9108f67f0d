/** `MemoryCurve`: the memory chart, its choice of devices and kinds, and the brushed range. */
import { findSources, type Source, sourceColumn } from "../../chart/bokeh";
import { Chart } from "../../chart/chart";
import { withTemplates } from "../../chart/template";
import type { Context } from "../../core/context";
import { Loader } from "../../core/loader";
import type { Memory, MemoryPeak } from "../../core/protocol/protocol";
import { sameValue } from "../../core/state/equality";
import { signal } from "../../core/state/signals";
import { RangeField } from "../../parts/rangefield";
import { Segments } from "../../parts/segments";
import { button, link } from "../../parts/states";
import { SelectField } from "../../shell/controls";
import {
  chooseTimeUnit,
  formatBytes,
  formatNumber,
  formatPercent,
  formatTime,
  plural,
} from "../../values/format";
import { Brush, type Mark, type TimeRange } from "./brush";

/** The value of `memory_device` for all devices. */
export const ALL = "all";

export const COMPONENT = "component";
const KIND_LABELS: Record<string, string> = { operator: "Operator", [COMPONENT]: "Component" };

/** The quantity of a line, before the name of the device or component. */
const LINE = /^((peak )?(allocated|reserved)|baseline)(?= )/;

/** With more devices than this, a select replaces the buttons. */
const MOST_BUTTONS = 4;

/** So many peaks are written out. */
const MOST_PEAKS = 12;

export class MemoryCurve {
  readonly el: HTMLElement;
  /** The table that replaces the curve on request. */
  readonly asTable: HTMLElement;
  #chart: Chart;
  #brush: Brush;
  #loader: Loader;
  #caption: HTMLElement;
  #view: HTMLElement;
  #range: RangeField;
  #apply: HTMLButtonElement;
  #clear: HTMLButtonElement;
  #kinds: Segments<string>;
  #buttons: Segments<string>;
  #select: SelectField;
  #answer = signal<Memory | null>(null);
  #curves: { what: string; source: Source }[] = [];

  constructor(
    private readonly ctx: Context,
    onTable: (shown: boolean) => void,
  ) {
    const { h, session } = ctx;
    this.#chart = new Chart(ctx, {
      title: "Memory over time",
      source: "peaks",
      plain: true,
      onDrawn: (_, model) => {
        this.#curves = findSources(model, LINE).map((source) => ({
          what: source.name ?? "",
          source,
        }));
      },
    });
    this.#brush = new Brush(
      ctx,
      (range) => this.#choose(range),
      (time) => this.#read(time),
    );
    this.#caption = h("small");
    this.#range = new RangeField(h, "Range", "ms", (range) =>
      this.#choose(range && [range[0] * 1e3, range[1] * 1e3]),
    );
    this.#apply = button(h, "Filter everything to the range", () => this.#filter(), "primary");
    this.#apply.dataset.needs = "filter:time_us";
    this.#range.el.dataset.needs = "range";
    this.#clear = button(h, "Clear", () => this.#choose(null), "quiet");
    this.#clear.dataset.offline = "";
    this.#clear.setAttribute("aria-label", "Clear the range");
    const choose = (key: string) => session.set({ memory_device: key, selection: [] });
    this.#kinds = new Segments(h, "Group by", (memory_by) => session.set({ memory_by }));
    this.#buttons = new Segments(h, "Device", choose);
    this.#select = new SelectField(h, "Device", choose);
    for (const { el } of [this.#range, this.#kinds, this.#buttons, this.#select]) el.hidden = true;
    let shown = false;
    this.asTable = h("div", { hidden: true });
    const view = link(h, "View as table", () => {
      shown = !shown;
      view.textContent = shown ? "View as chart" : "View as table";
      place.toggleAttribute("data-table", shown);
      figure.hidden = shown;
      this.asTable.hidden = !shown;
      onTable(shown);
    });
    view.dataset.offline = "";
    view.hidden = true; // until there is a curve
    this.#view = view;
    const place = h("div", { class: "nbp-asother" }, view);
    const figure = h("div", { class: "nbp-over" }, this.#chart.el, this.#brush.el);
    h.on(figure, {
      keydown: (event) => event.key === "Escape" && this.#choose(null),
    });
    this.#loader = new Loader(ctx, "memory", "the memory curve", figure);
    this.el = h(
      "section",
      {},
      h(
        "div",
        { class: "nbp-head" },
        h("h3", {}, "Memory over time", this.#caption),
        h("span", { class: "nbp-gap" }),
        this.#apply,
        this.#clear,
        this.#range.el,
        this.#kinds.el,
        this.#buttons.el,
        this.#select.el,
      ),
      place,
      this.#loader.el,
      this.asTable,
    );
  }

  /** Whether the curves are those of components. */
  get ofComponents(): boolean {
    return this.#answer.value?.by === COMPONENT;
  }

  /** The key of the device that is shown; empty before it is known. */
  get device(): string {
    return this.#answer.value?.device ?? "";
  }

  update(): void {
    const { session } = this.ctx;
    const room = this.ctx.room();
    this.#showRange();
    if (room === 0) return;
    const params = {
      state: session.state,
      memory: { device: session.get("memory_device") ?? "", by: session.get("memory_by") },
      theme: this.ctx.theme(),
      width: room,
      unit: session.get("time_unit") ?? "auto",
      ...(session.state.baseline?.run ? { align: session.get("timeline_align") } : {}),
    };
    this.#loader.need(
      params,
      "",
      (params, options) => session.router.request<Memory>("memory", withTemplates(params), options),
      ({ result }) => this.#show(result),
    );
  }

  /** Mark blocks on the curve. */
  mark(marks: readonly Mark[]): void {
    this.#brush.mark(marks);
  }

  #show(answer: Memory): void {
    const { ctx } = this;
    this.#answer.value = answer;
    const { devices, device, figure, plane, by = "", kinds = [] } = answer;
    this.#kinds.el.hidden = kinds.length < 2;
    this.#kinds.set(
      kinds.map((value) => ({ value, label: KIND_LABELS[value] ?? value })),
      by,
    );
    const choices = [
      ...devices.map(({ key, label }) => ({ value: key, label })),
      ...(devices.length > 1 ? [{ value: ALL, label: "Overlay" }] : []),
    ];
    const many = choices.length > MOST_BUTTONS;
    this.#buttons.el.hidden = many || devices.length < 2;
    this.#select.el.hidden = !many;
    this.#buttons.set(choices, device);
    this.#select.set(choices, device);
    this.#caption.textContent = captionOf(answer, ctx.width() === "wide");
    this.#view.hidden = !figure;
    void this.#chart.draw(figure ?? undefined);
    this.#chart.describe(this.#summary(answer));
    this.#brush.setPlane(plane);
  }

  #showRange(): void {
    const range = this.ctx.session.get("memory_range") ?? null;
    this.#brush.show(range);
    this.#apply.hidden = range === null;
    this.#clear.hidden = range === null;
    const plane = this.#answer.value?.plane;
    this.#range.el.hidden = !plane;
    const inMs = (ends: TimeRange): TimeRange => [ends[0] / 1e3, ends[1] / 1e3];
    this.#range.set(range && inMs(range), plane ? inMs([plane.start_us, plane.end_us]) : null);
  }

  #choose(range: TimeRange | null): void {
    const { session, announce } = this.ctx;
    const before = session.get("memory_range") ?? null;
    const why = range && session.lacks("range");
    if (why) {
      this.#brush.show(before);
      announce(why);
      return;
    }
    // Whole nanoseconds: recorders are no finer.
    const exact = range && (range.map((time) => Math.round(time * 1e3) / 1e3) as TimeRange);
    if (sameValue(exact, before) || (exact && exact[0] === exact[1])) return;
    session.set({ memory_range: exact });
    announce(exact ? `Tables narrowed to ${rangeText(exact)}` : "Range cleared");
  }

  #filter(): void {
    const { session, announce } = this.ctx;
    const range = session.get("memory_range");
    if (!range) return;
    session.set({ filter: { ...session.get("filter"), time_us: range }, memory_range: null });
    announce(`Filtered everything to ${rangeText(range)}`);
  }

  /** The text for the values of the curves at a time. */
  #read(time_us: number): string {
    const { plane, peaks } = this.#answer.value ?? {};
    if (!plane) return "";
    const choice = this.ctx.session.get("time_unit") ?? "auto";
    const unit = { ...chooseTimeUnit([plane.end_us], choice), decimals: 3 };
    const parts = this.#curves.flatMap(({ what, source }) => {
      const value = valueAt(source, time_us / unit.divisor);
      if (value === null) return [];
      const one = !this.ofComponents && (peaks?.length ?? 0) < 2;
      const words = one ? (LINE.exec(what)?.[0] ?? "") : what;
      return `${words} ${formatBytes(value * plane.bytes)}`;
    });
    return [`${formatTime(time_us, unit)} ${unit.label}`, ...parts].join(" · ");
  }

  #summary({ peaks, plane }: Memory): string {
    if (!plane) return "No memory records";
    const each = peaks.map(
      (p) => `${p.label}, peak ${formatBytes(p.bytes)} at ${at(p)}${changeOf(p)}`,
    );
    const over = rangeText([plane.start_us, plane.end_us]);
    return `Allocated and reserved memory, ${over}: ${each.join("; ")}`;
  }
}

/** @param long - whether there is room for when the peak was, and for the number of records */
function captionOf(answer: Memory, long: boolean): string {
  const { left_out } = answer;
  return left_out ? `${ownCaption(answer, long)} · listed: ${left_out}` : ownCaption(answer, long);
}

function ownCaption({ peaks, records, devices, by }: Memory, long: boolean): string {
  const [peak] = peaks;
  const count = long ? ` · ${plural(records, "record")}` : "";
  if (!peak) return plural(records, "record");
  if (peaks.length > 1 || by === COMPONENT) {
    const each = peaks
      .slice(0, MOST_PEAKS)
      .map((one) => `${one.label} ${formatBytes(one.bytes)}${changeOf(one)}`);
    if (peaks.length > MOST_PEAKS) each.push(`${peaks.length - MOST_PEAKS} more`);
    return `${by === COMPONENT ? "Peak reserved" : "Peaks"}: ${each.join(", ")}${count}`;
  }
  const { bytes, capacity, label } = peak;
  const of = capacity
    ? ` of ${formatBytes(capacity)} (${formatPercent((100 * bytes) / capacity)} %)`
    : "";
  const whose = devices.length > 1 ? "" : `${label} · `;
  const when = long ? ` at ${at(peak)}` : "";
  return `${whose}Peak ${formatBytes(bytes)}${of}${when}${changeOf(peak)}${count}`;
}

/** The peak of the baseline, and the difference from it to this one. */
function changeOf({ bytes, before }: MemoryPeak): string {
  if (typeof before !== "number") return "";
  const size = formatBytes(Math.abs(bytes - before));
  const pct = before ? `, ${formatPercent((100 * Math.abs(bytes - before)) / before)} %` : "";
  const sign = bytes > before ? "+" : "\u2212";
  const change = bytes === before ? "the same" : `${sign}${size}${pct}`;
  return ` · baseline ${formatBytes(before)} (${change})`;
}

function at({ time_us }: MemoryPeak): string {
  return `${formatNumber(time_us / 1e3, 1)} ms`;
}

function rangeText([start, end]: TimeRange): string {
  return `${formatNumber(start / 1e3, 1)} to ${formatNumber(end / 1e3, 1)} ms`;
}

/** The value of a step function at a time: the highest of its column of pixels. */
function valueAt(source: Source, time: number): number | null {
  const times = sourceColumn(source, "time");
  let row = times.length - 1;
  while (row >= 0 && Number(times[row]) > time) row -= 1;
  const value = sourceColumn(source, "last")[row];
  return typeof value === "number" ? value : null;
}
