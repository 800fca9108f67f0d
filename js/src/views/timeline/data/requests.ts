/** `TimelineRequests`: sends the timeline's requests to Python and decodes the replies. */
import type { Context } from "../../../core/context";
import type { Op } from "../../../core/protocol/protocol";
import { type Options, type Reply, Superseded } from "../../../core/protocol/router";
import { sameValue } from "../../../core/state/equality";
import type { Align } from "../../../core/state/traits";
import type { StateHolder } from "../state/holder";
import type { Level, View } from "../state/types";
import { decodeLevel } from "./decode";
import type { FlowKind, Flows, Found, Layout, SliceDetails, WindowInfo } from "./messages";
import { canFind, outlineOf } from "./outline";
import type { LevelRequest } from "./store";

/** The choices of a timeline: grouping of lanes, other workers, and alignments of clocks. */
export interface Choice {
  group_by: string;
  workers?: string[];
  clock?: string;
  /** What the baseline is aligned at; missing without a baseline. */
  align?: Align;
}

/** The choice behind a layout, within which row and slice numbers are valid. */
export function choiceOf(layout: Layout | null): Choice {
  const group_by = layout?.group_by ?? "thread";
  const others = layout?.workers?.slice(1).filter(({ baseline }) => !baseline) ?? [];
  const workers = others.map(({ worker }) => worker);
  return {
    group_by,
    ...(workers.length ? { workers, clock: layout?.clock ?? "auto" } : {}),
    ...(layout?.compared ? { align: layout.compared.align } : {}),
  };
}

export class TimelineRequests {
  /** The level of the saved state, and what it is marked by. */
  #marked: Promise<Level> | null = null;
  #marks: unknown;

  constructor(
    private readonly ctx: Context,
    private readonly state: StateHolder,
    /** Whether another trace than the one on screen has been chosen. */
    private readonly isOver: () => boolean,
  ) {}

  layout(choice: Choice, options: Options): Promise<Reply<Layout>> {
    const { router, state } = this.ctx.session;
    return router.request<Layout>("timeline", { state, ...choice }, options);
  }

  /** Request the data of a window; rejects with the errors of Python. */
  slices(request: LevelRequest): Promise<Level> {
    const { search, named } = this.state.now;
    const asked = { ...request, search: search || named };
    return this.ctx.session.router.connected ? this.#level(asked, "slices") : this.#saved(asked);
  }

  /** The one level of the saved state, which is asked for again only where others are marked. */
  #saved(asked: { search: string }): Promise<Level> {
    const { session } = this.ctx;
    const { layout } = this.state.now;
    // Where Python has answered before, its levels are finer.
    if (outlineOf(session)?.about.layout !== layout)
      return Promise.reject(new Error(session.again));
    const marks = [layout, asked.search, session.state.filter.name];
    if (!sameValue(marks, this.#marks)) {
      this.#marks = marks;
      this.#marked = this.#level(asked, "slices");
    }
    return this.#marked as Promise<Level>;
  }

  /** Request for each row the first slice that is running at a time or starts later. */
  firstAfter(time_ns: number, rows: [number, number][]): Promise<Level | null> {
    const { layout } = this.state.now;
    if (!this.ctx.session.router.connected) return Promise.resolve(null);
    const window = { start_ns: Math.floor(time_ns), end_ns: (layout?.end_ns ?? 0) + 1, width: 1 };
    const asked = { ...window, rows, tracks: [], search: "" };
    return this.#answered(this.#level(asked, `next-${rows.join()}`));
  }

  async details(slice: number): Promise<SliceDetails | null> {
    return this.#answered(this.#ask<SliceDetails>("slice", { slice }, "details"));
  }

  /** Request the arrows of some kinds in a window that are nearest to a time; null for its middle. */
  async flows(
    kinds: FlowKind[],
    { start_ns, end_ns }: View,
    rows: [number, number][],
    at_ns: number | null,
  ) {
    const window = { start_ns: Math.floor(start_ns), end_ns: Math.ceil(end_ns) };
    return this.#answered(this.#ask<Flows>("flows", { ...window, kinds, rows, at_ns }, "flows"));
  }

  /** Find a match by name. Null if the request was superseded; an error if it failed. */
  async find(
    direction: 0 | 1 | -1,
    from: number | null,
    from_ns: number,
  ): Promise<Found | Error | null> {
    const { search } = this.state.now;
    const asked = { search, direction, from, from_ns: Math.round(from_ns) };
    try {
      return await this.#ask<Found>("find", asked, "find");
    } catch (error) {
      if (error instanceof Superseded || !canFind(this.ctx.session)) return null;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  async #level(asked: Record<string, unknown>, slot: string): Promise<Level> {
    const { result, buffers } = await this.#request<WindowInfo>("slices", asked, slot);
    return decodeLevel(result, buffers[0] ?? new Uint8Array(), buffers[1]);
  }

  async #ask<T>(op: Op, asked: Record<string, unknown>, slot: string): Promise<T> {
    return (await this.#request<T>(op, asked, slot)).result;
  }

  #request<T>(op: Op, asked: Record<string, unknown>, slot: string): Promise<Reply<T>> {
    // In another trace, row and slice numbers mean something else.
    if (this.isOver()) return Promise.reject(new Superseded());
    const { session, id, signal } = this.ctx;
    const { layout } = this.state.now;
    // The baseline of the lanes on screen, while those of another one are being read.
    const state = { ...session.state, baseline: layout?.compared?.baseline ?? {} };
    const params = { state, ...choiceOf(layout), ...asked };
    return session.router.request<T>(op, params, { slot: `${id}:timeline-${slot}`, signal });
  }

  /** Wait for a reply; return null if it fails, and announce errors that concern the user. */
  async #answered<T>(asked: Promise<T>): Promise<T | null> {
    try {
      return await asked;
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (!this.#isQuiet(error)) this.ctx.announce(`Error: ${words}`);
      return null;
    }
  }

  #isQuiet(error: unknown): boolean {
    return error instanceof Superseded || !this.ctx.session.router.connected;
  }
}
