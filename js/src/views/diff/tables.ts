/** `Tables`: one table of differences at a time: by operator, kernel, module, memory and others. */
import type { Context, Exportable } from "../../core/context";
import { fill } from "../../core/dom";
import type { Page } from "../../core/protocol/protocol";
import { signal } from "../../core/state/signals";
import { Segments } from "../../parts/segments";
import { button } from "../../parts/states";
import { TableView } from "../../table/tableview";
import type { Rows } from "../../values/arrow";
import { formatNumber, plural } from "../../values/format";
import { nameWidth } from "./looks";
import { changeOf } from "./tree";

/** The tables by their word in `nbprof.diff`, as in `nbprof/widgets/views/diff/choices.py`. */
const CHOICES: Record<string, string> = {
  operator: "Operators",
  "operator+shape": "Operators and shapes",
  kernel: "Kernels",
  "kernel+stream": "Kernels and streams",
  module: "Modules",
  collective: "Collectives",
  memory: "Memory peaks",
  holder: "Memory at the peak",
  launch: "Launches",
  idle: "Idle time",
  step: "Steps",
  category: "Categories",
};
/** The tables whose rows are about memory over time. */
const OVER_TIME: Record<string, boolean> = { memory: true, holder: true };
const PLACES = [
  { value: "size", label: "By size" },
  { value: "first", label: "First" },
  { value: "last", label: "Last" },
] as const;

type Place = (typeof PLACES)[number]["value"];

export class Tables {
  readonly table: TableView;
  #select: HTMLSelectElement;
  #curves: HTMLButtonElement;
  #places: Segments<Place>;
  #place = signal<Place>("size");

  constructor(private readonly ctx: Context) {
    const { h, session } = ctx;
    this.#select = h("select", { "aria-label": "Table of differences" });
    h.on(this.#select, {
      change: () => session.set({ group_by: this.#select.value, selection: [] }),
    });
    const label = "Rows on one side";
    this.#places = new Segments<Place>(h, label, (place) => {
      this.#place.value = place;
    });
    const field = h(
      "label",
      { class: "nbp-field", "data-kind": "select", "data-offline": true },
      h("span", {}, "Table"),
      this.#select,
    );
    const places = h("span", { class: "nbp-pair" });
    places.append(h("span", { class: "nbp-label" }, label), this.#places.el);
    // Marked as in use, so that a table without rows keeps the choice of another one.
    this.#curves = button(h, "Both curves", () => this.#showCurves());
    this.#curves.dataset.tip = "The memory of both sides over time, in one chart";
    const tools = h(
      "span",
      { class: "nbp-difftools", "data-on": true },
      this.#curves,
      field,
      places,
    );
    // the line of keys names what most tables do
    const isMemory = () => this.table !== undefined && this.#isMemory;
    const toCurves = (rows: Rows, at: number) => this.#showCurves(rows, at);
    this.table = new TableView(ctx, {
      // a getter, since only rows of memory have curves
      get activate() {
        return isMemory() ? { words: "show both curves", run: toCurves } : undefined;
      },
      table: "differences",
      title: "Differences",
      nouns: ["row", "rows"],
      calls: ["", ""],
      groupings: [],
      stacks: false,
      field: tools,
      counts: countText,
      get nameWidth() {
        return nameWidth(ctx);
      },
      attributes: (rows, at) => ({ ...changeOf(rows, at), "data-acts": this.#isMemory }),
      unnamed: () => "(without a name)",
      more: () => {
        const ends = this.#place.value;
        return { group_by: this.#group, ...(ends !== "size" && { ends }) };
      },
      foot: "Medians over steps; a difference within twice the noise is muted",
    });
  }

  update(): void {
    const { h, session } = this.ctx;
    const group = this.#group;
    const options = Object.entries(CHOICES).map(([value, label]) => {
      const lacks = value === group ? undefined : session.lacks(`table:differences:${value}`);
      return h("option", { value, disabled: lacks !== undefined }, label);
    });
    fill(this.#select, ...options);
    this.#select.value = group;
    this.#places.set(PLACES, this.#place.value);
    this.#curves.hidden = !this.#isMemory;
  }

  /** Whether the rows are about memory, whose curves a view shows. */
  get #isMemory(): boolean {
    return (
      OVER_TIME[this.#group] === true && this.ctx.session.viewThatShows("allocated") !== undefined
    );
  }

  /** Show the memory of both sides over time: of the device of a row, or of the first. */
  #showCurves(rows?: Rows, at = 0): void {
    const { session, announce } = this.ctx;
    const view = session.viewThatShows("allocated");
    if (!view) return;
    const [kind, number] = ["device_type", "device"].map((name) => rows?.text(name, at) ?? "");
    const memory_device = [kind, number].filter(Boolean).join(":");
    session.set({ active: view.name, group_by: view.group_by, selection: [], memory_device });
    announce("The memory of both sides over time");
  }

  exports(): Exportable[] {
    return [this.table.exported];
  }

  get #group(): string {
    const group = this.ctx.session.get("group_by") ?? "";
    return group in CHOICES ? group : "operator";
  }
}

/** "142 rows: 12 up, 3 down, 2 added, 1 removed, 124 the same". */
function countText({ total, all, changes = {} }: Page): string {
  const rows = `${total === all ? "" : `${formatNumber(total)} of `}${plural(all, "row")}`;
  const words = { up: "up", down: "down", added: "added", removed: "removed", same: "the same" };
  const said = Object.entries(words).flatMap(([key, word]) =>
    changes[key] ? [`${formatNumber(changes[key])} ${word}`] : [],
  );
  return said.length ? `${rows}: ${said.join(", ")}` : rows;
}
