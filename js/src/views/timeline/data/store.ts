/**
 * The levels that are drawn: what Python answered last, what it answered before, and the snapshot.
 *
 * A question covers more than the screen, half a screen of time at each side and a screen of rows
 * above and below, so that most panning asks nothing. One question is on its way at a time, and its
 * answer is taken even where the screen has moved on since: half of it may still be in sight, and a
 * drag that goes on would otherwise never see any.
 */
import { Superseded } from "../../../core/rpc";
import { covers } from "../state/placement";
import type { Level, View } from "../state/types";
import type { SliceRef } from "./messages";

/** Least time between two questions, ms. */
const REST = 60;
const MARGIN = 0.5;

/** What the screen shows, as far as it decides what has to be there. */
export interface Wish {
  /** What rows and slices mean: the trace and the grouping. Levels of others are dropped. */
  scope: string;
  /** What marks and dims slices. Levels of others stay until the new one is there. */
  marks: string;
  view: View;
  /** The whole trace; no question goes beyond it. */
  trace: View;
  width: number;
  /** In sight, and with one screen above and below. */
  rows: [number, number][];
  nearRows: [number, number][];
  tracks: string[];
  nearTracks: string[];
}

export interface Question {
  start_ns: number;
  end_ns: number;
  width: number;
  rows: [number, number][];
  tracks: string[];
}

interface Held {
  level: Level;
  wish: Wish;
  question: Question;
}

export class LevelStore {
  /** Why the last question has no answer. */
  error: Error | null = null;
  #snapshot: { level: Level; scope: string } | null = null;
  #wide: Held | null = null;
  #before: Held | null = null;
  #now: Held | null = null;
  #wish: Wish | null = null;
  #asking = false;
  #paused = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #refused = "";

  /**
   * @param ask - asks Python; the answer is decoded
   * @param changed - called when there is something new to draw, or to say
   */
  constructor(
    private readonly ask: (question: Question, wish: Wish) => Promise<Level>,
    private readonly changed: () => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#resting), { once: true });
  }

  /** Coarse ones first; the last answers for what is on the screen. */
  get levels(): Level[] {
    const scope = this.#wish?.scope;
    const found: Level[] = [];
    if (this.#snapshot && (scope === undefined || this.#snapshot.scope === scope)) {
      found.push(this.#snapshot.level);
    }
    for (const held of [this.#wide, this.#before, this.#now]) {
      if (held && !found.includes(held.level)) found.push(held.level);
    }
    return found;
  }

  /** The level that answers for all that is on the screen; null while it is on its way. */
  get current(): Level | null {
    return this.#now && this.#wish && isCovered(this.#now, this.#wish, false)
      ? this.#now.level
      : null;
  }

  /** Where a slice is; null where no level has it by itself. */
  locate(slice: number): SliceRef | null {
    for (const { rows, info } of this.levels) {
      for (const { row, slice: slices, name, start, width } of rows.values()) {
        const at = slices.indexOf(slice);
        const named = name[at] ?? -1;
        if (named < 0) continue;
        const start_ns = start[at] as number;
        const end_ns = start_ns + (width[at] as number);
        return { slice, row, start_ns, end_ns, name: info.names[named] };
      }
    }
    return null;
  }

  get waiting(): boolean {
    return this.#asking;
  }

  /** Take the level that came with the notebook. */
  setSnapshot(level: Level, scope: string): void {
    if (this.#snapshot?.level === level) return;
    this.#snapshot = { level, scope };
    this.changed();
  }

  /** Say what is on the screen; Python is asked where no level answers for it. */
  need(wish: Wish): void {
    if (this.#wish && this.#wish.scope !== wish.scope) {
      this.#wide = null;
      this.#before = null;
      this.#now = null;
      this.#refused = "";
    }
    this.#wish = wish;
    this.#paused = false;
    this.#consider();
  }

  /** Ask nothing until something is needed again. */
  pause(): void {
    this.#paused = true;
  }

  /** Ask again what was refused. */
  retry(): void {
    this.#refused = "";
    this.error = null;
    this.#consider();
  }

  #consider(): void {
    const wish = this.#wish;
    if (!wish || this.#paused || this.#asking || this.#resting !== undefined) return;
    if (this.#now && isCovered(this.#now, wish, true)) return;
    const question = questionFor(wish);
    const text = JSON.stringify([wish.scope, wish.marks, question]);
    if (text === this.#refused) return;
    this.#asking = true;
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#consider();
    }, REST);
    this.ask(question, wish).then(
      (level) => {
        this.#asking = false;
        this.error = null;
        if (wish.scope === this.#wish?.scope) this.#take({ level, wish, question });
        this.#consider();
      },
      (error) => {
        this.#asking = false;
        if (!(error instanceof Superseded)) {
          this.#refused = text;
          this.error = error instanceof Error ? error : new Error(String(error));
        }
        this.changed();
        this.#consider();
      },
    );
  }

  #take(held: Held): void {
    this.#before = this.#now;
    this.#now = held;
    const { question, wish } = held;
    const whole = question.start_ns <= wish.trace.start_ns && question.end_ns >= wish.trace.end_ns;
    if (whole) this.#wide = held;
    this.changed();
  }
}

export function questionFor(wish: Wish): Question {
  const { view, trace } = wish;
  const length = view.end_ns - view.start_ns;
  const margin = length * MARGIN;
  const start_ns = Math.floor(Math.max(trace.start_ns, view.start_ns - margin));
  const end_ns = Math.ceil(Math.min(trace.end_ns, view.end_ns + margin));
  const width = Math.max(1, Math.round((wish.width * (end_ns - start_ns)) / length));
  return { start_ns, end_ns, width, rows: wish.nearRows, tracks: wish.nearTracks };
}

/** Whether a level has what the screen shows; `sharp`: also as finely as it could be. */
function isCovered(held: Held, wish: Wish, sharp: boolean): boolean {
  const { question } = held;
  const start = Math.max(wish.view.start_ns, wish.trace.start_ns);
  const end = Math.min(wish.view.end_ns, wish.trace.end_ns);
  if (held.wish.scope !== wish.scope) return false;
  if (question.start_ns > start || question.end_ns < end) return false;
  if (!covers(question.rows, wish.rows)) return false;
  if (!sharp) return true;
  if (held.wish.marks !== wish.marks) return false;
  if (!wish.tracks.every((key) => question.tracks.includes(key))) return false;
  return binFor(wish) >= binFor(held.wish);
}

/** The bins of a level are powers of two: the smallest that is no finer than a pixel. */
function binFor({ view, width }: Wish): number {
  return 2 ** Math.ceil(Math.log2((view.end_ns - view.start_ns) / width));
}
