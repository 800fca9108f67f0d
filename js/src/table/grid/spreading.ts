/** Loads the script `spreads`, which draws in the header of a table of many rows how values are spread. */

import type { Context } from "../../core/context";
import { signal } from "../../core/state/signals";
import type { SpreadScript } from "../../spreads/main";
import type { TimeUnit } from "../../values/format";
import type { ColumnSpec } from "../columnspec";
import type { PageStore } from "../pagestore";
import type { TableOptions } from "../tableoptions";

type Row = InstanceType<SpreadScript["SpreadRow"]>;

/** Height of the row, CSS px. */
export const SPREAD = 20;
/** Tables with more rows have it; as in `nbprof/widgets/requests/spreads.py`. */
const FEW_ROWS = 50;

export class Spreading {
  #row = signal<Row | null>(null);
  #coming = false;

  /**
   * @param options - those of the table: a tree, and a table without a search field, has no row
   * @param search - searches the table for a text
   */
  constructor(
    private readonly ctx: Context,
    private readonly options: TableOptions,
    private readonly search: (text: string) => void,
  ) {}

  /** The row for a page of the table, or null; a watched caller is called again once there is more. */
  draw(
    store: PageStore,
    specs: readonly ColumnSpec[],
    units: ReadonlyMap<string, TimeUnit>,
  ): HTMLElement | null {
    const { tree, searchless } = this.options;
    if (tree || searchless || (store.first.page.of ?? 0) <= FEW_ROWS) return null;
    if (!this.#coming) void this.#load();
    return this.#row.value?.draw(store, specs, units) ?? null;
  }

  /** Load the script. If that fails, there is no row, and the next drawing tries again. */
  async #load(): Promise<void> {
    this.#coming = true;
    try {
      const { SpreadRow } = await this.ctx.session.scripts.load<SpreadScript>("spreads");
      this.#row.value = new SpreadRow(this.ctx, this.search);
    } catch {
      this.#coming = false;
    }
  }
}
