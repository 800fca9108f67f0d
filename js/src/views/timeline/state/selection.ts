/** `Selector`: the selected slice and the selected area, which are independent of each other. */

import type { Session } from "../../../core/state/session";
import type { Key } from "../../../core/state/traits";
import { plural } from "../../../values/format";
import type { Lane, SliceDetails, SliceRef } from "../data/messages";
import type { TimelineRequests } from "../data/requests";
import { formatSpan } from "../drawing/ticks";
import type { StateHolder } from "./holder";
import { areaKeys, keysToArea, keyToSlice, sliceKey } from "./selectionkeys";
import type { Area, Hit, TimelineState } from "./types";

interface Around {
  /** The lanes that are shown. */
  lanes(): readonly Lane[];
  /** The position of a slice, where it is known without Python. */
  locate(slice: number): SliceRef | null;
  write(keys: Key[]): void;
  /** Make a slice visible. */
  reveal(target: SliceRef): void;
  announce(text: string): void;
}

export class Selector {
  /** Which of the two was selected last; it is written to the trait. */
  #last: "slice" | "area" = "slice";

  #reading = 0;

  constructor(
    private readonly state: StateHolder,
    private readonly requests: TimelineRequests,
    private readonly around: Around,
  ) {}

  /** Whether details are on their way. */
  get reading(): boolean {
    return this.#reading > 0;
  }

  select(target: SliceRef | null, block: Hit | null = null): void {
    this.#last = "slice";
    const { details } = this.state.now;
    const known = details !== null && details.slice === target?.slice;
    const name = known || !target ? undefined : this.around.locate(target.slice)?.name;
    const selected = name === undefined ? target : { ...(target as SliceRef), name };
    this.state.set({ selected, block, details: known ? details : null, named: "" });
    if (block) this.around.announce(`${plural(block.count, "slice")} selected`);
    if (selected && !known) void this.#readDetails(selected.slice);
    this.around.write(this.keys());
  }

  selectArea(area: Area | null): void {
    this.#last = area ? "area" : "slice";
    this.state.set({ area, named: "" });
    this.around.write(this.keys());
    if (!area) return;
    const lanes = area.lanes.length ? plural(area.lanes.length, "lane") : "all lanes";
    this.around.announce(`${formatSpan(area.end_ns - area.start_ns)} of ${lanes} selected`);
  }

  clear(): void {
    this.state.set({ area: null });
    this.select(null);
    this.around.announce("Selection cleared");
  }

  /** The range to which the selection zooms. */
  get range(): { start_ns: number; end_ns: number } | null {
    const { selected, block, area } = this.state.now;
    const one = selected ?? block?.span ?? null;
    return this.#last === "area" ? (area ?? one) : (one ?? area);
  }

  keys(): Key[] {
    const { area, selected, layout } = this.state.now;
    if (!layout) return [];
    if (this.#last === "area" && area) return areaKeys(area, this.around.lanes(), layout);
    return selected ? [sliceKey(selected.slice, layout)] : [];
  }

  /**
   * Apply a selection that Python or another view has made.
   *
   * @param named - the pattern of the names in it; empty for none
   */
  async take(keys: readonly Key[], named = ""): Promise<void> {
    const { layout, selected } = this.state.now;
    if (!layout) return;
    if (named !== this.state.now.named) this.state.set({ named });
    const area = keysToArea(keys, layout);
    if (area) {
      this.#last = "area";
      this.state.set({ area });
      return;
    }
    this.#last = "slice";
    const slice = keyToSlice(keys[0], layout);
    if (slice === null) this.state.set({ selected: null, block: null, details: null, area: null });
    if (slice === null || slice === selected?.slice) return;
    const details = await this.#askDetails(slice);
    const found = details ?? this.around.locate(slice);
    if (!found || layout !== this.state.now.layout) return;
    const { row, start_ns, end_ns, name } = found;
    const target = { slice, row, start_ns, end_ns, name };
    this.state.set({ selected: target, block: null, details });
    this.around.reveal(target);
  }

  /** Request the details of the selected slice if they are missing. */
  readAgain(): void {
    const { selected, details } = this.state.now;
    if (selected && !details) void this.#readDetails(selected.slice);
  }

  async #readDetails(slice: number): Promise<void> {
    const details = await this.#askDetails(slice);
    if (!details || this.state.now.selected?.slice !== slice) return;
    this.state.set({ details });
    this.around.announce(`Selected ${details.name}, ${details.category}`);
  }

  async #askDetails(slice: number): Promise<SliceDetails | null> {
    this.#reading += 1;
    const details = await this.requests.details(slice);
    this.#reading -= 1;
    // Keys that wait for the details run once these have been taken.
    queueMicrotask(() => this.state.changed());
    return details;
  }
}

/** Tell the other views the name of the selected slice. */
export function noteName(session: Session, { selected, details }: TimelineState): void {
  const known = details?.slice === selected?.slice ? details?.name : undefined;
  session.sliceName = selected ? (known ?? selected.name ?? "") : "";
}
