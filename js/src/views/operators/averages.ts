/** The tab *Table* of the operators view: the table that PyTorch's profiler prints. */

import type { Context } from "../../core/context";
import type { TraceInfo } from "../../core/protocol/protocol";
import { signal } from "../../core/state/signals";
import { Segments } from "../../parts/segments";
import { LOOKS } from "../../table/columnlooks";
import { TableView } from "../../table/tableview";

const GROUPINGS = [
  { value: "name", label: "Name", needs: "" },
  { value: "name+shape", label: "Name + shape", needs: "shapes" },
  { value: "name+stack1", label: "Name + 1 frame", needs: "stacks" },
  { value: "name+stack5", label: "Name + 5 frames", needs: "stacks" },
] as const;

type Grouping = (typeof GROUPINGS)[number]["value"];

const TABLE = "key_averages";

LOOKS[TABLE] = {
  input_shapes: { label: "Input shapes", width: 220 },
  call_stack: { label: "Frames", width: 320 },
  device_type: { label: "Runs on", width: 68 },
  user_annotation: { rare: true },
  asynchronous: { rare: true },
  host_self_us: { label: "Self", group: "Host time", width: 84, bar: "under" },
  host_self_pct: { label: "Self share", group: "Host time", width: 92 },
  host_total_us: { label: "Total", group: "Host time", width: 76 },
  host_total_pct: { label: "Total share", group: "Host time", width: 92 },
  host_mean_us: { label: "Mean", group: "Host time", width: 72 },
  device_self_us: { label: "Self", group: "Device time", width: 84, bar: "under" },
  device_self_pct: { label: "Self share", group: "Device time", width: 92 },
  device_total_us: { label: "Total", group: "Device time", width: 76 },
  device_mean_us: { label: "Mean", group: "Device time", width: 72 },
  host_memory_bytes: { label: "Total", group: "Host memory", width: 80 },
  host_self_memory_bytes: { label: "Self", group: "Host memory", width: 80 },
  device_memory_bytes: { label: "Total", group: "Device memory", width: 80 },
  device_self_memory_bytes: { label: "Self", group: "Device memory", width: 80 },
  calls: { width: 64 },
  flops: { label: "FLOPs", width: 112 },
};

/** The table with its grouping, which is its own: the one of the view is that of `view.table`. */
export class AveragesTable {
  readonly el: HTMLElement;
  readonly table: TableView;
  #groups: Segments<Grouping>;
  #info = signal<TraceInfo | null>(null);

  constructor(private readonly ctx: Context) {
    this.#groups = new Segments(ctx.h, "Group by", (value) => {
      ctx.session.set({ averages_by: value });
    });
    this.table = new TableView(ctx, {
      table: TABLE,
      title: "As PyTorch prints it",
      nouns: ["row", "rows"],
      calls: ["call", "calls"],
      groupings: [],
      field: this.#groups.el,
      more: () => ({ group_by: this.#group }),
      stacks: false,
      foot: "Labels, Python functions and device events are rows, too",
    });
    this.el = this.table.el;
  }

  /** The grouping on screen, or the one to start with. */
  get #group(): Grouping {
    return (this.ctx.session.get("averages_by") || "name") as Grouping;
  }

  setInfo(info: TraceInfo): void {
    this.#info.value = info;
    this.table.setInfo(info);
  }

  update(): void {
    const { has = {}, hints = {} } = this.#info.value ?? {};
    const choices = GROUPINGS.map(({ value, label, needs }) => ({
      value,
      label,
      off:
        needs && has[needs] === false
          ? (hints[needs] ?? "Not in this trace.")
          : this.ctx.session.lacks(`table:${TABLE}:${value}`),
    }));
    this.#groups.set(choices, this.#group);
    this.table.update();
  }
}
