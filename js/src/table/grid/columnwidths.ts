/** The column widths that a user chose, kept while the widget lives, for all views of a table. */
import type { Session } from "../../core/state/session";
import { type Signal, signal } from "../../core/state/signals";

/** CSS px by column. */
type Widths = Readonly<Record<string, number>>;

const LEAST = 36;
const MOST = 2000;

const chosen = new WeakMap<Session, Map<string, Signal<Widths>>>();

export class ColumnWidths {
  readonly #widths: Signal<Widths>;

  constructor(session: Session, table: string) {
    const tables = chosen.get(session) ?? new Map<string, Signal<Widths>>();
    chosen.set(session, tables);
    this.#widths = tables.get(table) ?? signal({});
    tables.set(table, this.#widths);
  }

  get all(): Widths {
    return this.#widths.value;
  }

  set(key: string, width: number): void {
    this.#widths.value = { ...this.#widths.peek(), [key]: allowed(width) };
  }

  /** Give all columns their widths again; undefined where none was changed. */
  get resetting(): (() => void) | undefined {
    if (!Object.keys(this.all).length) return undefined;
    return () => {
      this.#widths.value = {};
    };
  }
}

export function allowed(width: number): number {
  return Math.round(Math.min(MOST, Math.max(LEAST, width)));
}
