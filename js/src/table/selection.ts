/** `RowSelection`: translates between rows of a table and the selection that all views share. */

import { sameValue } from "../core/state/equality";
import { carried, toggled } from "../core/state/selecting";
import type { Session } from "../core/state/session";
import type { Key } from "../core/state/traits";
import type { Rows } from "../values/arrow";
import type { PageStore } from "./pagestore";

/** The key of a row, from the columns that Python names. */
function keyOf(columns: readonly string[] = ["name"], rows: Rows, row: number): Key {
  return Object.fromEntries(columns.map((name) => [name, rows.get(name, row)]));
}

export class RowSelection {
  /** The row at which a range begins. */
  #anchor = -1;
  /** The selection that the rows on screen show. */
  #shown: readonly Key[] = [];

  constructor(
    private readonly session: Session,
    private readonly store: () => PageStore | null,
    /** Whether the selection is of this table, the part of the view that says so, and the grouping. */
    private readonly owner: { owns(): boolean; part: string | undefined; groupBy(): string },
  ) {}

  /** Start ranges anew, since rows have other numbers. */
  forget(): void {
    this.#anchor = -1;
  }

  has(row: number): boolean {
    const key = this.#key(row);
    if (!key || !this.owner.owns()) return false;
    const selection = this.session.get("selection") ?? [];
    // A selection made in another view may have only some of the keys.
    return selection.some((own) => Object.keys(own).every((name) => own[name] === key[name]));
  }

  select(row: number, add: boolean): void {
    const key = this.#key(row);
    if (!key || !Object.keys(key).length) return; // these rows have no key
    const before = this.owner.owns() ? (this.session.get("selection") ?? []) : [];
    this.#anchor = row;
    this.#choose(toggled(before, key, add));
  }

  /** Select the rows from the one selected last to this one, as far as they have been received. */
  range(row: number): void {
    const from = this.#anchor < 0 ? row : this.#anchor;
    const [first, last] = [Math.min(from, row), Math.max(from, row)];
    const rows = Array.from({ length: last - first + 1 }, (_, at) => this.#key(first + at));
    this.#choose(rows.filter((key): key is Key => key !== null && Object.keys(key).length > 0));
  }

  /** The row among the first ones that a chart or Python has selected since the last call; -1 if none. */
  selectedElsewhere(received: number): number {
    const selection = this.session.get("selection") ?? [];
    if (sameValue(selection, this.#shown)) return -1;
    this.#shown = selection;
    return Array.from({ length: received }, (_, at) => this.has(at)).indexOf(true);
  }

  #choose(selection: Key[]): void {
    const { part } = this.owner;
    this.#shown = selection;
    this.session.set(part === undefined ? { selection } : { group_by: part, selection });
  }

  #key(row: number): Key | null {
    const store = this.store();
    const found = store?.locate(row);
    if (!store || !found) return null;
    const key = keyOf(store.first.page.keys, found.block.rows, found.at);
    // Rows of the grouping before stay until the new ones arrive, and have keys that those lack.
    return store.query.group_by === this.owner.groupBy() ? key : (carried([key])[0] ?? null);
  }
}
