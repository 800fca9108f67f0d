/** `Controls`: the bar above the blocks: search, sizes, the axis and the device. */
import type { Context } from "../../../core/context";
import type { Blocks } from "../../../core/protocol/protocol";
import { signal } from "../../../core/state/signals";
import { RangeField } from "../../../parts/rangefield";
import { SearchField } from "../../../parts/searchfield";
import { Segments } from "../../../parts/segments";

const MIB = 1024 ** 2;

type Axis = "time" | "events";

export class Controls {
  readonly el: HTMLElement;
  #axis = signal<Axis>("time");
  #sizes = signal<[number, number] | null>(null);
  #search: SearchField;
  #range: RangeField;
  #axes: Segments<string>;
  #devices: Segments<string>;

  /**
   * @param other - called before another axis or device is shown
   */
  constructor(
    private readonly ctx: Context,
    other: (what: "axis" | "device") => void,
  ) {
    const { h, session } = ctx;
    this.#search = new SearchField(ctx, "Search blocks by frame or category", "frame, /…/");
    this.#range = new RangeField(h, "Size", "MiB", (range) => {
      this.#sizes.value = range;
      this.#range.set(range, null);
    });
    this.#axes = new Segments(h, "Axis", (axis) => {
      other("axis");
      this.#axis.value = axis === "events" ? "events" : "time";
    });
    this.#devices = new Segments(h, "Device", (key) => {
      other("device");
      session.set({ memory_device: key, selection: [] });
    });
    this.el = h(
      "div",
      { class: "nbp-head" },
      h("h3", {}, "Allocations"),
      this.#search.el,
      this.#range.el,
      h("span", { class: "nbp-gap" }),
      this.#axes.el,
      this.#devices.el,
    );
  }

  get axis(): Axis {
    return this.#axis.value;
  }

  get search(): string {
    return (this.ctx.session.get("search") ?? "").trim();
  }

  /** The smallest and largest block, in bytes; null for all. */
  get sizes(): [number, number] | null {
    const sizes = this.#sizes.value;
    return sizes && [sizes[0] * MIB, sizes[1] * MIB];
  }

  show(info: Blocks | undefined): void {
    this.#search.update();
    const axes = [
      { value: "time", label: "Time" },
      { value: "events", label: "Events" },
    ];
    this.#axes.set(axes, this.axis);
    if (!info) return;
    if (!this.#sizes.value) this.#range.set(null, [0, Math.ceil(info.peak.bytes / MIB)]);
    this.#devices.el.hidden = info.devices.length < 2;
    const devices = info.devices.map(({ key, label }) => ({ value: key, label }));
    this.#devices.set(devices, info.device);
  }
}
