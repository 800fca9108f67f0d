/** What answers without Python: the same operations, in the same form. */

import type { Op } from "../core/protocol";
import type { Snapshot } from "../core/snapshot";
import type { Rows } from "../values/arrow";
import type { Inside } from "./tables/tables";

/** An answer as `Reply` in `rpc.ts`; a buffer may be a `Given`. */
export interface Answer {
  result: Record<string, unknown>;
  buffers: Uint8Array[];
}

/** A buffer that carries a table which needs no reading; `readRows` hands it on. */
export interface Given extends Uint8Array {
  rows: Rows;
}

export type Params = Record<string, unknown>;

/** A request is refused; `type` is that of the error that Python would raise. */
export class Refused extends Error {
  constructor(
    type: string,
    message: string,
    readonly hint = "",
  ) {
    super(message);
    this.name = type;
  }
}

/** Something cannot be answered without Python; the words say what and why. */
export class NeedsPython extends Refused {
  constructor(message: string) {
    super("NeedsPython", message);
  }
}

/** Where the tables of one filter come from. */
export interface TableSource {
  /** The rows that are inside; undefined where none are. */
  table(name: string, group_by: string): Promise<Inside | undefined>;
  /** Why a table is not there, as a sentence that says what to do; undefined where nothing is known. */
  lacks?(name: string): string | undefined;
}

/** Makes the tables of another filter than the one of the snapshot, out of its partials. */
export interface Recomputing {
  /** Which fields of the filter can be changed. */
  readonly fields: readonly string[];
  /** The tables under a filter; null where it has a field that cannot be changed. */
  under(filter: Record<string, unknown>): TableSource | null;
}

export interface Answers {
  readonly snapshot: Snapshot;
  /** @throws NeedsPython - it cannot be answered here */
  answer(op: Op, params: Params): Promise<Answer>;
  /**
   * Why something cannot be done, a sentence; undefined where it can: `filter:<field>`, `range`
   * (of the memory curve), `profile` (another one), `search` (in the timeline),
   * `table:<name>:<group_by>`, `flame:<by>:<order>`.
   */
  lacks(what: string): string | undefined;
}
