/** Recomputes tables under a filter of steps and names from the partials of each step. */

import { canonical, type SavedState } from "../../core/saved/savedstate";
import { NeedsPython, type Recomputing, type TableSource } from "../answerer";
import { CUT, type Load, type OfflineTable, type OfflineTables } from "../offlinepart";
import { matcher } from "./match";
import { namesOf, partsKey, readParts, regroup } from "./parts";
import { readStoredTable, type StoredTable, sumsOf, tableKey } from "./tables";

const MISSING = "some of its rows were left out.";

type Range = [first: number, last: number];

/** Return the tables under other filters; null where the saved state has no partials. */
export function recomputing(
  saved: SavedState,
  tables: OfflineTables,
  load: Load,
): Recomputing | null {
  const entries = Object.keys(saved.header.entries);
  if (!entries.some((name) => name.startsWith("partials:"))) return null;
  return {
    fields: ["steps", "name"],
    under: (filter) => {
      const { steps, name, ...others } = filter as { steps?: Range; name?: string };
      if (canonical(others) !== canonical(saved.header.filter)) return null;
      return new Filtered(saved, tables, steps ?? null, name ?? "", load);
    },
  };
}

class Filtered implements TableSource {
  readonly #tables = new Map<string, Promise<StoredTable | undefined>>();
  /** Why tables cannot be filtered, as the end of a sentence, where that was found only by trying. */
  readonly #failed = new Map<string, string>();

  constructor(
    private readonly saved: SavedState,
    private readonly special: OfflineTables,
    private readonly steps: Range | null,
    private readonly name: string,
    private readonly load: Load,
  ) {}

  table(name: string, group_by: string): Promise<StoredTable | undefined> {
    const key = tableKey(name, group_by);
    let found = this.#tables.get(key);
    if (!found) {
      found = this.#make(name, group_by);
      this.#tables.set(key, found);
    }
    return found;
  }

  lacks(asked: string): string | undefined {
    const { subject = "This", under, followsNames } = this.#special(asked);
    if (!under && this.saved.facts(asked).adds_up) return undefined;
    const failed = this.#failed.get(asked);
    if (failed) return `${subject} cannot be filtered${failed}`;
    if (under && this.name && !followsNames)
      return `${subject} cannot be filtered by name without Python.`;
    return under ? undefined : `${subject} cannot be filtered without Python.`;
  }

  /** The special treatment of a table; the tables of a card have that of the card. */
  #special(table: string): OfflineTable {
    const [kind, card = ""] = table.split(/[:/]/);
    const name = kind === "card" ? card : table;
    return (Object.hasOwn(this.special, name) && this.special[name]) || {};
  }

  async #make(name: string, group_by: string): Promise<StoredTable | undefined> {
    if (this.lacks(name)) return undefined;
    const whole = await readStoredTable(this.saved, tableKey(name, group_by));
    if (!whole) return undefined;
    const wanted = (number: number) =>
      this.steps === null || (number >= this.steps[0] && number <= this.steps[1]);
    const { under } = this.#special(name);
    if (!under) return this.#grouped(whole, name, group_by, wanted);
    const summed = isCut(whole)
      ? CUT
      : await under(whole, {
          saved: this.saved,
          steps: this.steps,
          name: this.name,
          load: this.load,
          wanted,
          everyStep: this.steps === null,
          table: (other) => this.table(other, ""),
          parts: () => readParts(this.saved, partsKey(name, group_by)),
          counted: (table, unnamed) => this.#counted(table, unnamed),
        });
    if (summed && summed !== CUT) return summed;
    this.#failed.set(name, summed === CUT ? `: ${MISSING}` : " without Python.");
    return undefined;
  }

  /** @throws NeedsPython - the saved state lacks the partials of the table */
  async #grouped(
    whole: StoredTable,
    name: string,
    group_by: string,
    wanted: (number: number) => boolean,
  ): Promise<StoredTable> {
    if (isCut(whole)) throw new NeedsPython(`This table cannot be filtered: ${MISSING}`);
    const parts = await readParts(this.saved, partsKey(name, group_by));
    if (!parts) throw new NeedsPython("The data to filter this table was left out.");
    const names = namesOf(whole);
    const matches = this.name ? matcher(this.name) : () => true;
    const steps = this.steps === null ? null : wanted;
    const unnamed = regroup(whole, parts, steps, () => true);
    const named = this.name
      ? regroup(whole, parts, steps, (row) => matches(names[row] ?? null))
      : unnamed;
    return this.#counted(named, unnamed);
  }

  /** Update the counts and sums in a table's description. */
  #counted(table: StoredTable, unnamed = table): StoredTable {
    const { about } = table;
    const title = `No ${about.nouns[1]} match the filter`;
    const empty = {
      title,
      text: "Another filter may match some.",
      actions: [{ label: "Reset filters", filter: this.saved.header.filter }],
    };
    const sums = sumsOf(table, Object.keys(about.sums));
    const all_sums = sumsOf(unnamed, Object.keys(unnamed.about.sums));
    const rows = table.length;
    const facts = { ...about, rows, all: unnamed.length, sums, all_sums, empty };
    return { ...table, about: facts, unnamed };
  }
}

/** Whether rows are missing, which a filter might have shown. */
function isCut({ length, about }: StoredTable): boolean {
  return length < about.rows;
}
