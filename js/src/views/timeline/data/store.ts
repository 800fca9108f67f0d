/**
 * Requests and stores the levels of detail that are drawn: the last reply, earlier ones, the saved state.
 *
 * A request covers more than the screen, half a screen of time on each side and a screen of rows
 * above and below, so that most panning needs no request. One request is in flight at a time. Its
 * reply is used even if the screen has moved on since: half of it may still be visible, and a long
 * drag would otherwise never show any.
 */
import { Superseded } from "../../../core/protocol/router";
import { covers } from "../state/placement";
import type { Level, View } from "../state/types";
import type { SliceRef } from "./messages";

/** Least time between two requests, ms. */
const REST = 60;
const MARGIN = 0.5;

/** What the screen shows, as far as it decides which data is needed. */
export interface Wish {
  /** Identifies trace and grouping, on which row numbers depend. Levels of another scope are dropped. */
  scope: string;
  /** Identifies what highlights and dims slices. Levels with other marks stay until a new one arrives. */
  marks: string;
  view: View;
  /** The whole trace; no request goes beyond it. */
  trace: View;
  width: number;
  /** The visible rows, with one screen above and below. */
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
  /** Why the last request failed; null if it did not. */
  error: Error | null = null;
  #outline: { level: Level; scope: string } | null = null;
  #wide: Held | null = null;
  #before: Held | null = null;
  #now: Held | null = null;
  #wish: Wish | null = null;
  #asking = false;
  #paused = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #refused = "";

  /**
   * @param ask - requests a level from Python and decodes it
   * @param changed - called when there is something new to draw or to report
   */
  constructor(
    private readonly ask: (question: Question, wish: Wish) => Promise<Level>,
    private readonly changed: () => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#resting), { once: true });
  }

  /** The levels, coarse ones first; the last covers the screen. */
  get levels(): Level[] {
    const scope = this.#wish?.scope;
    const found: Level[] = [];
    if (this.#outline && (scope === undefined || this.#outline.scope === scope)) {
      found.push(this.#outline.level);
    }
    for (const held of [this.#wide, this.#before, this.#now]) {
      if (held && !found.includes(held.level)) found.push(held.level);
    }
    return found;
  }

  /** The level that covers the whole screen; null while it is requested. */
  get current(): Level | null {
    return this.#now && this.#wish && isCovered(this.#now, this.#wish, false)
      ? this.#now.level
      : null;
  }

  /** The position of a slice; null where no level has it outside of a block. */
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

  /** Use the level of the saved state. */
  setOutline(level: Level, scope: string): void {
    if (this.#outline?.level === level) return;
    this.#outline = { level, scope };
    this.changed();
  }

  /** Tell what is on the screen; a request is sent where no level covers it. */
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

  /** Send no request until `need` is called again. */
  pause(): void {
    this.#paused = true;
  }

  /** Send the failed request again. */
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

/** Whether a level covers the screen; `sharp`: also in the finest useful detail. */
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

/** The bin width, ns: the smallest power of two that is no finer than a pixel. */
function binFor({ view, width }: Wish): number {
  return 2 ** Math.ceil(Math.log2((view.end_ns - view.start_ns) / width));
}
