/** The column widths that a user chose: a trait, so that notebooks and pages keep them. */
import type { Session } from "../../core/state/session";

/** CSS px by column. */
type Widths = Readonly<Record<string, number>>;

const LEAST = 36;
const MOST = 2000;

export class ColumnWidths {
  constructor(
    private readonly session: Session,
    private readonly table: string,
  ) {}

  get all(): Widths {
    return this.session.get("column_widths")?.[this.table] ?? {};
  }

  set(key: string, width: number): void {
    this.#save({ ...this.all, [key]: allowed(width) });
  }

  /** Give all columns their widths again; undefined where none was changed. */
  get resetting(): (() => void) | undefined {
    return Object.keys(this.all).length ? () => this.#save({}) : undefined;
  }

  #save(widths: Widths): void {
    const { session, table } = this;
    session.set({ column_widths: { ...session.get("column_widths"), [table]: widths } });
  }
}

export function allowed(width: number): number {
  return Math.round(Math.min(MOST, Math.max(LEAST, width)));
}
