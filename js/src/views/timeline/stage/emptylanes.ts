/**
 * `EmptyLanes`: shows in lanes without a visible slice when the next one starts, as a link to it, and
 * makes them thin while the window rests.
 */
import type { Context } from "../../../core/context";
import { fill } from "../../../core/dom";
import { link } from "../../../parts/states";
import type { Lane } from "../data/messages";
import { answers, firstEndingAfter, rowPieces } from "../data/rows";
import { formatAt, positionChoice } from "../drawing/ticks";
import { span } from "../state/camera";
import type { Controller } from "../state/controller";
import type { Level, PlacedLane } from "../state/types";

/** The start of the next slice: unknown, null if there is none, or a time. */
type Next = "unknown" | null | number;

/** Time that the window must be at rest before a request, ms. */
const REST = 150;
/** Time without a slice in the window after which lanes become thin, ms. */
const THIN_AFTER = 400;
/** Position of the next slice after going to it, as a share of the window. */
const LEFT = 0.1;

export class EmptyLanes {
  #shown = new Map<string, HTMLElement>();
  /** For each lane a range of time that is known to be empty. */
  #known = new Map<string, { from: number; next: number | null }>();
  #scope: unknown = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #thinning: ReturnType<typeof setTimeout> | undefined;
  /** What the thin lanes were last decided from. */
  #decided: readonly unknown[] = [];

  constructor(
    private readonly ctx: Context,
    private readonly timeline: Controller,
    /** The element that holds the notes. */
    private readonly el: HTMLElement,
  ) {
    const stop = () => {
      clearTimeout(this.#timer);
      clearTimeout(this.#thinning);
    };
    ctx.signal.addEventListener("abort", stop, { once: true });
  }

  /** @param left - left edge of the canvas, CSS px */
  update(placed: readonly PlacedLane[], left: number): void {
    const { layout, view } = this.timeline.state;
    if (layout !== this.#scope) this.#known.clear();
    this.#scope = layout;
    const before = this.#shown;
    this.#shown = new Map();
    const unknown: Lane[] = [];
    const { current, levels } = this.timeline.store;
    for (const item of placed) {
      if (!current || !isEmpty(current, item.lane, view.start_ns, view.end_ns)) continue;
      const { key } = item.lane;
      const next = this.#next(item.lane, levels);
      if (next === "unknown") unknown.push(item.lane);
      const note = before.get(key) ?? this.ctx.h("div", { class: "nbp-tl-empty" });
      before.delete(key);
      this.#shown.set(key, note);
      if (!note.parentElement) this.el.append(note);
      note.style.top = `${item.y}px`;
      note.style.left = `${left}px`;
      this.#write(note, next);
    }
    for (const note of before.values()) note.remove();
    if (current) this.#decide(current);
    clearTimeout(this.#timer);
    if (unknown.length && this.ctx.session.router.connected)
      this.#timer = setTimeout(() => this.#ask(unknown), REST);
  }

  /** Lanes with a slice get their height back at once; others lose it after a while. */
  #decide(current: Level): void {
    const { lanes, state } = this.timeline;
    const from = [current, state.view, lanes.rows];
    if (from.every((part, at) => part === this.#decided[at])) return;
    this.#decided = from;
    const { start_ns, end_ns } = state.view;
    const empty = new Set<string>();
    for (const item of lanes.rows.placed) {
      if (item.type !== "lane") continue;
      const known = rowsOf(item.lane).every((row) => answers(current, row));
      const { key } = item.lane;
      if (known ? isEmpty(current, item.lane, start_ns, end_ns) : state.empty.has(key))
        empty.add(key);
    }
    const still = new Set([...state.empty].filter((key) => empty.has(key)));
    if (still.size < state.empty.size) lanes.setEmpty(still);
    clearTimeout(this.#thinning);
    if (empty.size > still.size)
      this.#thinning = setTimeout(() => lanes.setEmpty(empty), THIN_AFTER);
  }

  #write(note: HTMLElement, next: Next): void {
    const { view } = this.timeline.state;
    const unit = positionChoice(this.ctx, this.timeline);
    const at = typeof next === "number" ? formatAt(next, span(view), unit) : "";
    const words =
      next === null
        ? "No slices here or later."
        : at
          ? `No slices here. Next at ${at} `
          : "No slices here.";
    if (note.dataset.words === words) return;
    note.dataset.words = words;
    const there = at ? link(this.ctx.h, "Go there ›", () => this.#go(next as number)) : null;
    if (there) there.dataset.offline = "";
    fill(note, words, there);
  }

  #go(next: number): void {
    const length = span(this.timeline.state.view);
    const start_ns = next - LEFT * length;
    this.timeline.setView({ start_ns, end_ns: start_ns + length });
  }

  #next(lane: Lane, levels: readonly Level[]): Next {
    const time = this.timeline.state.view.end_ns;
    const known = this.#known.get(lane.key);
    if (known && known.from <= time && (known.next === null || time <= known.next))
      return known.next;
    const { end_ns } = this.timeline.trace;
    let first: number | null = null;
    for (const row of rowsOf(lane)) {
      const next = nextInRow(levels, row, time, end_ns);
      if (next === "unknown") return "unknown";
      if (next !== null && (first === null || next < first)) first = next;
    }
    return first;
  }

  async #ask(lanes: readonly Lane[]): Promise<void> {
    const { layout, view } = this.timeline.state;
    for (const lane of lanes) {
      const rows: [number, number][] = [[lane.first_row, lane.first_row + lane.depths]];
      const level = await this.timeline.requests.firstAfter(view.end_ns, rows);
      if (!level || layout !== this.timeline.state.layout) return;
      const starts = rowsOf(lane).flatMap((row) => {
        const start = level.rows.get(row)?.start;
        return start?.length ? [start[0] as number] : [];
      });
      const next = starts.length ? Math.min(...starts) : null;
      this.#known.set(lane.key, { from: view.end_ns, next });
    }
    this.timeline.changed();
  }
}

function rowsOf(lane: Lane): number[] {
  return Array.from({ length: lane.depths }, (_, depth) => lane.first_row + depth);
}

/** Whether a level that covers a window has no slice of a lane in it. */
function isEmpty(level: Level, lane: Lane, start_ns: number, end_ns: number): boolean {
  return rowsOf(lane).every((row) => {
    const items = level.rows.get(row);
    if (!items) return true;
    const at = firstEndingAfter(items, start_ns);
    return at >= items.start.length || (items.start[at] as number) >= end_ns;
  });
}

/** The start of the next slice in a row; unknown inside a block that began earlier. */
function nextInRow(levels: readonly Level[], row: number, time: number, end_ns: number): Next {
  const whole = levels.some(
    (level) =>
      answers(level, row) && level.info.start_ns <= time && level.info.end_ns >= Math.floor(end_ns),
  );
  if (!whole) return "unknown";
  for (const { items, first, last } of rowPieces(levels, row, { start_ns: time, end_ns })) {
    if (first >= last) continue;
    const start = items.start[first] as number;
    return start >= time ? start : "unknown";
  }
  return null;
}
