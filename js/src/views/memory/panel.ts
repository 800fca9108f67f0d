/** The memory view: the curve over time, and tables of what allocates and holds memory. */

import type { Context, Exportable, Panel, Part } from "../../core/context";
import type { Page, TraceInfo } from "../../core/protocol/protocol";
import { sameValue } from "../../core/state/equality";
import { signal } from "../../core/state/signals";
import { RangeField } from "../../parts/rangefield";
import { emptyState } from "../../parts/states";
import { hasTimeline, showInTimeline, showRange } from "../../table/links/slices";
import type { MemoryLens } from "../../table/pagestore";
import { TableView } from "../../table/tableview";
import type { Rows } from "../../values/arrow";
import {
  chooseTimeUnit,
  formatBytes,
  formatNumber,
  formatPercent,
  formatTime,
  plural,
} from "../../values/format";
import { parseStack } from "../../values/names";
import { SnapshotPart } from "./allocations/snapshotpart";
import type { Mark } from "./brush";
import { ALL, COMPONENT, MemoryCurve } from "./curve";

const DEVICE = ["device_type", "device"];
const MIB = 1024 ** 2;
const FEW_LINES = 6;
const NAME = 180;
const SHOW = "show in timeline";

export class MemoryPanel implements Panel {
  readonly el: HTMLElement;
  #curve: MemoryCurve;
  #points: TableView;
  #holders: TableView;
  #operators: TableView;
  #events: TableView;
  #components: TableView;
  #sizes: RangeField;
  #chosenSizes = signal<[number, number] | null>(null);
  #hovered = signal<Mark | null>(null);
  #pair: HTMLElement;
  #content: HTMLElement;
  #none: HTMLElement;
  #pointsShown = signal(false);
  /** Whether the trace has memory records. */
  #recorded = signal(true);
  #snapshot: SnapshotPart;

  constructor(private readonly ctx: Context) {
    const { h } = ctx;
    this.#curve = new MemoryCurve(ctx, (shown) => {
      this.#pointsShown.value = shown;
    });
    this.#sizes = new RangeField(h, "Size", "MiB", (range) => {
      this.#chosenSizes.value = range;
      this.#sizes.set(range, null);
    });
    const timeline = hasTimeline(ctx.session);
    const shared = {
      stacks: false,
      groupings: [],
      lens: () => this.#lens(),
      without: () => (ctx.session.get("memory_device") === ALL ? [] : DEVICE),
    };
    this.#points = new TableView(ctx, {
      ...shared,
      table: "memory_curve",
      title: "Records",
      nouns: ["record", "records"],
      calls: ["", ""],
      counts: (page) => plural(page.total, "row"),
      foot: "Values hold until the next row",
      ...(timeline && {
        activate: { words: SHOW, run: (rows, at) => this.#toTimeline(rows, at) },
      }),
    });
    this.#curve.asTable.append(this.#points.el);
    this.#holders = new TableView(ctx, {
      ...shared,
      part: "holders",
      table: "memory_peak_holders",
      title: "Held at the peak",
      nouns: ["holder", "holders"],
      calls: ["", ""],
      counts: (page) => heldText(page),
      unnamed: (rows, at) => holderText(rows, at),
      stacks: true,
      lines: FEW_LINES,
      nameWidth: NAME,
      ...(timeline && {
        activate: { words: SHOW, run: (rows, at) => this.#toOperator(rows, at) },
      }),
      foot: "",
    });
    this.#operators = new TableView(ctx, {
      ...shared,
      part: "operators",
      table: "memory_operators",
      title: "By operator",
      nouns: ["operator", "operators"],
      calls: ["call", "calls"],
      counts: (page) => this.#where(plural(page.total, "operator")),
      lines: FEW_LINES,
      nameWidth: NAME,
      foot: "",
    });
    this.#events = new TableView(ctx, {
      ...shared,
      part: "events",
      table: "memory_events",
      title: "Allocations",
      nouns: ["block", "blocks"],
      calls: ["", ""],
      counts: (page) => {
        if (!this.#chosenSizes.value) this.#sizes.set(null, sizeBounds(page));
        return this.#where(blocksText(page));
      },
      unnamed: (rows, at) =>
        rows.get("allocation_us", at) === null ? "allocated before the trace" : "no operator",
      field: this.#sizes.el,
      lens: () => ({ ...this.#lens(), sizes: this.#bytes() }),
      foot: "Pointing at a row marks its allocation and release on the curve. – means not in the trace.",
      ...(timeline && {
        activate: { words: SHOW, run: (rows, at) => this.#toTimeline(rows, at) },
      }),
      hover: (row) => {
        this.#hovered.value = row && markOf((name) => row.rows.number(name, row.at));
      },
    });
    this.#components = new TableView(ctx, {
      ...shared,
      part: "components",
      table: "memory_components",
      title: "Peaks by component",
      nouns: ["component", "components"],
      calls: ["", ""],
      counts: (page) => this.#where(plural(page.total, "component")),
      ...(timeline && {
        activate: { words: SHOW, run: (rows, at) => this.#toTimeline(rows, at) },
      }),
      nameWidth: NAME,
      foot: "The profiler reports allocators and the process (APP); the driver reports its modules.",
    });
    this.#snapshot = new SnapshotPart(ctx, shared.without);
    this.#pair = h("div", { class: "nbp-pairs" }, this.#holders.el, this.#operators.el);
    this.#content = h(
      "div",
      { class: "nbp-body", style: "padding:0" },
      this.#snapshot.el,
      this.#curve.el,
      this.#pair,
      this.#events.el,
      this.#components.el,
      ...this.#snapshot.tables.map(({ el }) => el),
    );
    this.#none = h("div", { hidden: true });
    this.el = h("div", { class: "nbp-body" }, this.#none, this.#content);
  }

  setInfo(info: TraceInfo): void {
    const none = info.has.memory === false;
    this.#recorded.value = !none;
    this.#snapshot.setInfo(info);
    this.#content.hidden = none;
    this.#none.hidden = !none;
    if (none) {
      const [title = "", ...rest] = (info.hints.memory ?? "").split(". ");
      const text = rest.join(". ");
      this.#none.replaceChildren(emptyState(this.ctx.h, title, text));
    }
    for (const table of [...this.#tables(true), ...this.#tables(false), this.#points])
      table.setInfo(info);
  }

  get parts(): readonly Part[] {
    const under = [true, false].flatMap((ofComponents) =>
      this.#tables(ofComponents).map((table) => ({
        update: () =>
          !this.#snapshot.there && this.#curve.ofComponents === ofComponents && table.update(),
      })),
    );
    const parts: Part[] = [
      { update: () => this.#arrange() },
      ...this.#snapshot.parts,
      { update: () => !this.#snapshot.shown && this.#curve.update() },
      ...under,
      { update: () => this.#pointsShown.value && this.#points.update() },
      { update: () => this.#mark() },
    ];
    return parts.map((part) => ({ update: () => this.#recorded.value && part.update() }));
  }

  #arrange(): void {
    this.#pair.toggleAttribute("data-devices", this.ctx.session.get("memory_device") === ALL);
    const { ofComponents } = this.#curve;
    const { there, shown } = this.#snapshot;
    this.#curve.el.hidden = shown;
    this.#pair.hidden = ofComponents || there;
    this.#events.el.hidden = ofComponents || there;
    this.#components.el.hidden = !ofComponents || there;
  }

  exports(): Exportable[] {
    const { allocations, shown, there, tables } = this.#snapshot;
    const device = shown ? allocations.device : this.#curve.device;
    const listed = there ? tables : [...this.#tables(this.#curve.ofComponents), this.#points];
    return [
      ...(shown ? allocations.exports() : []),
      ...listed.map(({ exported }) => {
        const { memory } = exported.query;
        // The exported code has to name the device, even if the view leaves the choice to Python.
        const named = memory && { ...memory, device };
        return { ...exported, query: { ...exported.query, memory: named } };
      }),
    ];
  }

  #lens(): MemoryLens {
    const { session } = this.ctx;
    const range = session.get("memory_range") ?? null;
    const by = this.#curve.ofComponents ? COMPONENT : undefined;
    return { device: session.get("memory_device") ?? "", by, range };
  }

  /** The tables under the curve. */
  #tables(ofComponents: boolean): TableView[] {
    return ofComponents ? [this.#components] : [this.#holders, this.#operators, this.#events];
  }

  #bytes(): [number, number] | null {
    const sizes = this.#chosenSizes.value;
    return sizes && [sizes[0] * MIB, sizes[1] * MIB];
  }

  #where(words: string): string {
    return this.ctx.session.get("memory_range") ? `in the range, ${words}` : words;
  }

  /** Mark the block under the pointer and the selected ones. */
  #mark(): void {
    const { session } = this.ctx;
    const own = session.get("group_by") === "events" ? (session.get("selection") ?? []) : [];
    const selected = own.map((key) =>
      markOf((name) => (typeof key[name] === "number" ? Number(key[name]) : null)),
    );
    const hovered = this.#hovered.value;
    const again = selected.some((mark) => sameValue(mark, hovered));
    this.#curve.mark(hovered && !again ? [hovered, ...selected] : selected);
  }

  /** Filter to the operator of a holder, whose name starts with it: "aten::conv2d (aten::empty)". */
  #toOperator(rows: Rows, at: number): void {
    const name = rows.text("operator", at).split(" (")[0];
    if (name) showInTimeline(this.ctx, [name]);
  }

  #toTimeline(rows: Rows, at: number): void {
    const times = ["allocation_us", "release_us", "time_us"].map((name) => rows.number(name, at));
    const first = times.find((time) => time !== null) ?? 0;
    const last = rows.number("release_us", at) ?? first;
    const margin = Math.max((last - first) / 10, 50);
    showRange(this.ctx, [first - margin, last + margin]);
  }
}

function markOf(number: (name: string) => number | null): Mark {
  const [start, end] = [number("allocation_us"), number("release_us")];
  const size = formatBytes(number("size_bytes") ?? 0);
  const life = start === null || end === null ? null : end - start;
  const unit = life === null ? null : { ...chooseTimeUnit([life], "auto") };
  const time = unit && `${formatTime(life, unit)} ${unit.label}`;
  const open = end === null ? "not released" : "allocated before";
  return { start, end, text: `${size}, ${time ?? open}` };
}

/** All sizes, from 0 to the largest. */
function sizeBounds(page: Page): [number, number] {
  return [0, Math.ceil(((page.maxima.size_bytes ?? 0) / MIB) * 10) / 10];
}

/** The text for a holder without an operator: the user's frame, as in allocator snapshots. */
function holderText(rows: Rows, at: number): string {
  if (rows.get("blocks", at) === null) return "before the trace";
  const frames = parseStack(rows.text("call_stack", at));
  return (frames.find(({ user }) => user) ?? frames[0])?.text ?? "no operator";
}

function heldText(page: Page & { peaks?: { time_us: number }[] }): string {
  const { bytes } = page.sums ?? {};
  const all = page.all_sums?.bytes;
  const [peak, ...others] = page.peaks ?? [];
  if (others.length)
    return `${plural(others.length + 1, "device")} · ${plural(page.total, "holder")}`;
  const size = typeof bytes === "number" ? formatBytes(bytes) : "";
  const part =
    typeof bytes === "number" && all && bytes !== all
      ? `${formatPercent((100 * bytes) / all)} % of the peak`
      : "";
  const when = peak ? `at ${formatNumber(peak.time_us / 1e3, 1)} ms` : "";
  return [`${size} ${when}`.trim(), part, plural(page.total, "holder")].filter(Boolean).join(" · ");
}

function blocksText(page: Page): string {
  const bytes = page.sums?.size_bytes;
  const of = page.total === page.all ? "" : ` of ${formatNumber(page.all)}`;
  const size = typeof bytes === "number" ? `, ${formatBytes(bytes)}` : "";
  return `${formatNumber(page.total)}${of} ${page.all === 1 ? "block" : "blocks"}${size}`;
}
