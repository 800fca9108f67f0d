/**
 * `LevelStore`: requests and stores the levels of detail that are drawn: the last reply, earlier
 * ones, and that of the saved state.
 *
 * A request covers more than the screen, half a screen of time on each side and a screen of rows
 * above and below, so that most panning needs no request. One request is in flight at a time. Its
 * reply is used even if the screen has moved on since: half of it may still be visible, and a long
 * drag would otherwise never show any.
 */
import { Superseded } from "../../../core/protocol/router";
import { covers } from "../state/lanes/placement";
import type { Level, View } from "../state/types";
import type { SliceRef } from "./messages";

/** Least time between two requests, ms. */
const REST = 60;
const MARGIN = 0.5;

/** The visible part of the timeline, which determines the data that is needed. */
export interface Viewport {
  /** Identifies trace and grouping, on which row numbers depend. Levels of another scope are dropped. */
  scope: string;
  /** Identifies search and filter, which mark slices. Levels with other marks stay until replaced. */
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

export interface LevelRequest {
  start_ns: number;
  end_ns: number;
  width: number;
  rows: [number, number][];
  tracks: string[];
}

interface Held {
  level: Level;
  viewport: Viewport;
  request: LevelRequest;
}

export class LevelStore {
  /** Why the last request failed; null if it did not. */
  error: Error | null = null;
  #outline: { level: Level; scope: string } | null = null;
  #wide: Held | null = null;
  #before: Held | null = null;
  #now: Held | null = null;
  #viewport: Viewport | null = null;
  #asking = false;
  #paused = false;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #refused = "";

  /**
   * @param ask - requests a level from Python and decodes it
   * @param changed - called when there is something new to draw or to report
   */
  constructor(
    private readonly ask: (request: LevelRequest, viewport: Viewport) => Promise<Level>,
    private readonly changed: () => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#resting), { once: true });
  }

  /** The levels, coarse ones first; the last covers the screen. */
  get levels(): Level[] {
    const scope = this.#viewport?.scope;
    const found: Level[] = [];
    // The last reply is drawn over the one before, also where it is that of the whole trace.
    for (const held of [this.#now, this.#before, this.#wide]) {
      if (held && !found.includes(held.level)) found.unshift(held.level);
    }
    if (this.#outline && (scope === undefined || this.#outline.scope === scope)) {
      found.unshift(this.#outline.level);
    }
    return found;
  }

  /** The level that covers the whole screen; null while it is requested. */
  get current(): Level | null {
    return this.#now && this.#viewport && isCovered(this.#now, this.#viewport, false)
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

  /** Set what the screen needs; a request is sent if no level covers it. */
  need(viewport: Viewport): void {
    if (this.#viewport && this.#viewport.scope !== viewport.scope) {
      this.#wide = null;
      this.#before = null;
      this.#now = null;
      this.#refused = "";
    }
    this.#viewport = viewport;
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
    const viewport = this.#viewport;
    if (!viewport || this.#paused || this.#asking || this.#resting !== undefined) return;
    if (this.#now && isCovered(this.#now, viewport, true)) return;
    const request = requestFor(viewport);
    const text = JSON.stringify([viewport.scope, viewport.marks, request]);
    if (text === this.#refused) return;
    this.#asking = true;
    this.#resting = setTimeout(() => {
      this.#resting = undefined;
      this.#consider();
    }, REST);
    this.ask(request, viewport).then(
      (level) => {
        this.#asking = false;
        this.error = null;
        if (viewport.scope === this.#viewport?.scope) this.#take({ level, viewport, request });
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
    const { request, viewport } = held;
    const whole =
      request.start_ns <= viewport.trace.start_ns && request.end_ns >= viewport.trace.end_ns;
    if (whole) this.#wide = held;
    this.changed();
  }
}

export function requestFor(viewport: Viewport): LevelRequest {
  const { view, trace } = viewport;
  const length = view.end_ns - view.start_ns;
  const margin = length * MARGIN;
  const start_ns = Math.floor(Math.max(trace.start_ns, view.start_ns - margin));
  const end_ns = Math.ceil(Math.min(trace.end_ns, view.end_ns + margin));
  const width = Math.max(1, Math.round((viewport.width * (end_ns - start_ns)) / length));
  return { start_ns, end_ns, width, rows: viewport.nearRows, tracks: viewport.nearTracks };
}

/** Whether a level covers the screen; `sharp`: also in the finest useful detail. */
function isCovered(held: Held, viewport: Viewport, sharp: boolean): boolean {
  const { request } = held;
  const start = Math.max(viewport.view.start_ns, viewport.trace.start_ns);
  const end = Math.min(viewport.view.end_ns, viewport.trace.end_ns);
  if (held.viewport.scope !== viewport.scope) return false;
  if (request.start_ns > start || request.end_ns < end) return false;
  if (!covers(request.rows, viewport.rows)) return false;
  if (!sharp) return true;
  if (held.viewport.marks !== viewport.marks) return false;
  if (!viewport.tracks.every((key) => request.tracks.includes(key))) return false;
  return binFor(viewport) >= binFor(held.viewport);
}

/** The bin width, ns: the smallest power of two that is no finer than a pixel. */
function binFor({ view, width }: Viewport): number {
  return 2 ** Math.ceil(Math.log2((view.end_ns - view.start_ns) / width));
}
