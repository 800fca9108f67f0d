/** `LevelStore`: requests the level of the range in view, and keeps the last ones to draw meanwhile. */
import { Superseded } from "../../../core/protocol/router";
import type { Level, Span } from "./level";

/** Part of the view that is requested on each side in addition, so that most panning needs no request. */
const MARGIN = 0.5;
/** Least time between two requests, ms. */
const REST = 40;

interface LevelQuery {
  /** Identifies device, axis, filter and search; levels of another scope are dropped. */
  scope: string;
  view: Span;
  whole: Span;
  columns: number;
  bytes: Span | null;
}

export class LevelStore {
  #query: LevelQuery | null = null;
  #held: { level: Level; query: LevelQuery } | null = null;
  #asking = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked: string | null = null;

  constructor(
    private readonly ask: (range: Span, columns: number, query: LevelQuery) => Promise<Level>,
    private readonly changed: () => void,
    /** Called with the reason why the range cannot be shown in more detail; "" if it can. */
    private readonly failed: (reason: string) => void,
    signal: AbortSignal,
  ) {
    signal.addEventListener("abort", () => clearTimeout(this.#timer), { once: true });
  }

  /** The level of the range in view, or of a part of it. */
  get level(): Level | null {
    return this.#held?.query.scope === this.#query?.scope ? (this.#held?.level ?? null) : null;
  }

  /** Set what is in view; null if the level of the whole suffices. */
  need(query: LevelQuery | null): void {
    this.#query = query;
    if (!query) {
      this.#held = null;
      this.#asked = null;
      this.failed("");
    }
    this.#consider();
  }

  #consider(): void {
    const query = this.#query;
    if (!query || this.#asking || this.#timer !== undefined || this.#suffices(query)) return;
    const [start, end] = query.view;
    const margin = (end - start) * MARGIN;
    const range: Span = [
      Math.max(query.whole[0], start - margin),
      Math.min(query.whole[1], end + margin),
    ];
    const columns = Math.round((query.columns * (range[1] - range[0])) / (end - start));
    const text = JSON.stringify([query.scope, range, columns, query.bytes]);
    // What was refused, or answered with less than was asked for, is not asked for again.
    if (text === this.#asked) return;
    this.#asked = text;
    this.#asking = true;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#consider();
    }, REST);
    this.ask(range, Math.max(1, columns), query).then(
      (level) => {
        this.#asking = false;
        if (query.scope === this.#query?.scope) {
          this.#held = { level, query };
          const wanted = (range[1] - range[0]) / columns;
          this.failed(level.pixel > 2 * wanted ? "finer levels need Python." : "");
          this.changed();
        }
        this.#consider();
      },
      (error) => {
        this.#asking = false;
        if (!(error instanceof Superseded)) {
          this.failed(error instanceof Error ? error.message : String(error));
        }
        this.#consider();
      },
    );
  }

  #suffices(query: LevelQuery): boolean {
    const held = this.#held;
    if (!held || held.query.scope !== query.scope) return false;
    const sameHeights = JSON.stringify(held.query.bytes) === JSON.stringify(query.bytes);
    const pixel = (query.view[1] - query.view[0]) / query.columns;
    return sameHeights && held.level.covers(query.view) && held.level.pixel <= pixel * 1.5;
  }
}
