/** Adds columns of shares to a table, as `nbprof/widgets/views/shares.py` does. */
import { columnOf, type StoredColumn, type StoredTable, withColumns } from "./tables";

/** The times of a table that add up over its rows. */
export function shareBases(table: StoredTable): string[] {
  const hasValues = (name: string) => columnOf(table, name)?.values.some((value) => value !== null);
  return Object.keys(table.about.sums).filter((name) => name.endsWith("_us") && hasValues(name));
}

/** The table with each row's share of the filtered rows and of the whole trace. */
export function withShares(table: StoredTable): StoredTable {
  const { sums, all_sums, whole_sums = all_sums } = table.about;
  const own = columnOf(table, "pct") !== undefined;
  const more = shareBases(table).flatMap((base) => {
    const stem = base.slice(0, -"_us".length);
    const of = (name: string, meaning: string, total: number | undefined): StoredColumn => ({
      name,
      kind: "float",
      unit: "%",
      meaning,
      values: (columnOf(table, base)?.values ?? []).map((value) =>
        value === null || !total ? null : (100 * Number(value)) / total,
      ),
    });
    const ofFilter = `Share of ${base} of all rows under the filter.`;
    const ofAll = `Share of ${base} of all rows of the trace, without a filter.`;
    return [
      ...(own ? [] : [of(`${stem}_of_filter_pct`, ofFilter, sums[base])]),
      of(`${stem}_of_all_pct`, ofAll, whole_sums[base]),
    ];
  });
  return withColumns(table, ...more);
}
