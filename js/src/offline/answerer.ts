/** The interface for answering requests without Python, and its errors. */

import type { Op } from "../core/protocol/protocol";
import type { SavedState } from "../core/saved/savedstate";
import type { StoredTable } from "./tables/tables";

/** A reply in the form of `Reply` in `router.ts`; a buffer may be a `RowsBuffer`. */
export interface Answer {
  result: Record<string, unknown>;
  buffers: Uint8Array[];
}

export type Params = Record<string, unknown>;

/** A request that is refused; `type` is the error type that Python would raise. */
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

/** A request that cannot be answered without Python; the message says what and why. */
export class NeedsPython extends Refused {
  constructor(message: string) {
    super("NeedsPython", message);
  }
}

/** Provides the tables under one filter. */
export interface TableSource {
  /** The stored rows of a table; undefined where the saved state has none. */
  table(name: string, group_by: string): Promise<StoredTable | undefined>;
  /** Why a table is missing, as a sentence that says what to do; undefined where unknown. */
  lacks?(name: string): string | undefined;
}

/** Computes tables under filters other than that of the saved state, from its partials. */
export interface Recomputing {
  /** The fields of the filter that can be changed. */
  readonly fields: readonly string[];
  /** The tables under a filter; null where it has a field that cannot be changed. */
  under(filter: Record<string, unknown>): TableSource | null;
}

export interface Answers {
  readonly saved: SavedState;
  /** @throws NeedsPython - the saved state cannot answer it */
  answer(op: Op, params: Params): Promise<Answer>;
  /**
   * Return a sentence that says why something cannot be done; undefined where it can. `what` is
   * `filter:<field>`, `range` (of the memory curve), `profile` (another one), `search` (in the
   * timeline), `table:<name>:<group_by>` or `flame:<by>:<order>`.
   */
  lacks(what: string): string | undefined;
}
