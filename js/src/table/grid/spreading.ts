/** Loads the script `spreads`, which draws in the header of a table of many rows how values are spread. */

import type { Context } from "../../core/context";
import { signal, watch } from "../../core/state/signals";
import type { SpreadScript } from "../../spreads/main";
import type { TableOptions } from "../tableoptions";

type Row = InstanceType<SpreadScript["SpreadRow"]>;

/** Height of the row, CSS px. */
export const SPREAD = 20;
/** Tables with more rows have it; as in `nbprof/widgets/requests/spreads.py`. */
const FEW_ROWS = 50;

/**
 * Keep the row in the header of a grid: null until it has come, and where there is none.
 *
 * What comes later draws nothing else of the view anew.
 *
 * @param options - those of the table: a tree, and a table without a search field, has no row
 * @param search - searches the table for a text
 * @returns what shows the row for a page of the table
 */
export function spreading(
  ctx: Context,
  { tree, searchless }: TableOptions,
  search: (text: string) => void,
  grid: { setBelow(row: HTMLElement | null): void },
): (...of: Parameters<Row["draw"]>) => void {
  const row = signal<Row | null>(null);
  const shown = signal<Parameters<Row["draw"]> | null>(null);
  watch(() => {
    const of = shown.value;
    // If the script cannot be loaded, the next drawing tries again.
    if (of && !row.value)
      ctx.session.scripts.load<SpreadScript>("spreads").then(
        ({ SpreadRow }) => {
          row.value ??= new SpreadRow(ctx, search);
        },
        () => {},
      );
    grid.setBelow((of && row.value?.draw(...of)) ?? null);
  }, ctx.signal);
  return (...of) => {
    const none = tree || searchless || (of[0].first.page.of ?? 0) <= FEW_ROWS;
    shown.value = none ? null : of;
  };
}
