/** Requests the rows of a table in blocks and caches them. */

import type { Page, State } from "../core/protocol/protocol";
import type { Options, Reply, Router } from "../core/protocol/router";
import { type Rows, readRows } from "../values/arrow";

export const BLOCK = 100;

export interface Query {
  state: State;
  table: string;
  group_by: string;
  sort: [string, "asc" | "desc"] | null;
  search: string;
  /** Whether to add the shares of the filter and of all. */
  shares?: true | undefined;
  memory?: MemoryLens | undefined;
  tree?: TreeExpansion | undefined;
  /** The measure and order of the flame graph. */
  flame?: { by: string; order: string } | undefined;
  /** Where rows that only one side of a comparison has are listed. */
  ends?: "first" | "last" | undefined;
  /** The function whose callers or callees are shown. */
  calls?: { of: string; side: string } | undefined;
}

/** The open modules: ancestors of search matches, all or none, and single ones. */
export interface TreeExpansion {
  search: string;
  all: boolean | null;
  folds: Record<string, boolean>;
}

/**
 * The part of memory that is shown: the key of a device, the source of its curve, a range in µs,
 * sizes in bytes.
 */
export interface MemoryLens {
  device: string;
  by?: string | undefined;
  range: [number, number] | null;
  sizes?: [number, number] | null;
}

export interface Block {
  page: Page;
  rows: Rows;
}

export async function fetchPage(
  router: Router,
  query: Query,
  offset: number,
  limit: number,
  options: Options,
): Promise<Block> {
  const reply: Reply<Page> = await router.request<Page>(
    "page",
    { ...query, offset, limit },
    options,
  );
  return { page: reply.result, rows: readRows(reply.buffers[0] ?? new Uint8Array()) };
}

/** The received blocks of one query, by their first rows; long rows come in parts of a block. */
export class PageStore {
  #blocks = new Map<number, Block>();
  /** Blocks that are requested, by the first row that they may have. */
  #asked = new Set<number>();

  constructor(
    readonly query: Query,
    readonly first: Block,
  ) {
    this.#blocks.set(0, first);
  }

  get total(): number {
    return this.first.page.total;
  }

  /** The rows of all blocks that were received. */
  get received(): Rows[] {
    return [...this.#blocks.values()].map(({ rows }) => rows);
  }

  /** The block of a row and the row's index in it. */
  locate(row: number): { block: Block; at: number } | null {
    for (let first = startOf(row); first <= row; first += 1) {
      const block = this.#blocks.get(first);
      const at = row - first;
      if (block && at < block.rows.length) return { block, at };
    }
    return null;
  }

  /** From where to request visible rows that were neither received nor requested. */
  missing(first: number, last: number): number | null {
    for (let row = first; row < Math.min(last, this.total); row += 1) {
      const start = startOf(row);
      const from = this.locate(start) ? row : start;
      if (!this.locate(row) && !this.#asked.has(start) && !this.#blocks.has(from)) return from;
    }
    return null;
  }

  async bring(router: Router, offset: number, options: Options): Promise<void> {
    const start = startOf(offset);
    this.#asked.add(start);
    try {
      const rows = BLOCK - (offset - start);
      this.#blocks.set(offset, await fetchPage(router, this.query, offset, rows, options));
    } finally {
      this.#asked.delete(start);
    }
  }
}

/** The first row of a row's block. */
function startOf(row: number): number {
  return row - (row % BLOCK);
}
