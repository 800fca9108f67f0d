/** `SnapshotPart`: the part of the memory view that only snapshots have: blocks and their tables. */
import type { Context, Part } from "../../../core/context";
import type { TraceInfo } from "../../../core/protocol/protocol";
import { signal } from "../../../core/state/signals";
import { Segments } from "../../../parts/segments";
import { TableView } from "../../../table/tableview";
import type { Rows } from "../../../values/arrow";
import { plural } from "../../../values/format";
import { Allocations } from "./allocations";
import { ownFrame } from "./words";

const LINES = 6;

export class SnapshotPart {
  /** The choice between blocks and curve, and the blocks. */
  readonly el: HTMLElement;
  readonly allocations: Allocations;
  readonly tables: readonly TableView[];
  #row: HTMLElement;
  #form: Segments<string>;
  /** Whether the trace is a memory snapshot, and whether its curve is shown in place of its blocks. */
  #there = signal(false);
  #asCurve = signal(false);

  constructor(
    ctx: Context,
    /** Columns of the device, if there is only one. */
    without: () => readonly string[],
  ) {
    const { h, session } = ctx;
    this.#form = new Segments(h, "Show memory as", (form) => {
      this.#asCurve.value = form === "curve";
    });
    this.#row = h("div", { class: "nbp-head", hidden: true }, this.#form.el);
    this.allocations = new Allocations(ctx);
    const shared = {
      stacks: false,
      groupings: [],
      calls: ["", ""] as [string, string],
      without,
      lens: () => ({ device: session.get("memory_device") ?? "", range: null }),
      activate: {
        words: "search its frame",
        run: (rows: Rows, at: number) => {
          const search = rows.text("frame", at) || ownFrame(rows.text("call_stack", at));
          if (search) session.set({ search });
        },
      },
    };
    this.tables = [
      new TableView(ctx, {
        ...shared,
        part: "blocks",
        table: "memory_blocks",
        title: "Blocks",
        nouns: ["block", "blocks"],
        counts: (page) => plural(page.total, "block"),
        foot: "A block without an allocation was there before the recording.",
      }),
      new TableView(ctx, {
        ...shared,
        part: "segments",
        table: "memory_segments",
        title: "Segments of the snapshot",
        nouns: ["segment", "segments"],
        counts: (page) => plural(page.total, "segment"),
        lines: LINES,
        foot: "The largest gap is the largest block that fits without another segment.",
      }),
    ];
    this.el = h("div", { class: "nbp-body", style: "padding:0" }, this.#row, this.allocations.el);
  }

  /** Whether the trace is a memory snapshot. */
  get there(): boolean {
    return this.#there.value;
  }

  /** Whether its blocks are shown, not the curve. */
  get shown(): boolean {
    return this.#there.value && !this.#asCurve.value;
  }

  setInfo(info: TraceInfo): void {
    this.#there.value = info.has.allocator === true;
    for (const table of this.tables) table.setInfo(info);
  }

  get parts(): readonly Part[] {
    const under = this.tables.map((table) => ({ update: () => this.there && table.update() }));
    return [
      { update: () => this.#arrange() },
      { update: () => this.shown && this.allocations.update() },
      ...under,
    ];
  }

  #arrange(): void {
    this.el.hidden = !this.there;
    this.#row.hidden = !this.there;
    const forms = [
      { value: "blocks", label: "Blocks" },
      { value: "curve", label: "Curve" },
    ];
    this.#form.set(forms, this.shown ? "blocks" : "curve");
    this.allocations.el.hidden = !this.shown;
    for (const { el } of this.tables) el.hidden = !this.there;
  }
}
