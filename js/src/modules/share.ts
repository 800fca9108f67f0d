/** What share of the time of all modules each one takes. */
import { Rows } from "../arrow";

export const SHARE = "share_pct";

/** The rows with the share of each in all modules: forward and backward, of the device if there is one. */
export function withShare(rows: Rows): Rows {
  const sideOf = (side: string) => (row: number) => {
    const forward = rows.number(`${side}_total_us`, row);
    const backward = rows.number(`backward_${side}_us`, row);
    return forward === null && backward === null ? null : (forward ?? 0) + (backward ?? 0);
  };
  const all = Array.from({ length: rows.length }, (_, row) => row);
  const known = new Set(all.map((row) => rows.number("module_id", row)));
  const top = all.filter((row) => !known.has(rows.number("parent_id", row)));
  const whole = (time: (row: number) => number | null) =>
    top.reduce((sum, row) => sum + (time(row) ?? 0), 0);
  const device = whole(sideOf("device")) > 0;
  const time = sideOf(device ? "device" : "host");
  const total = whole(time);
  const share = {
    name: SHARE,
    unit: "%",
    meaning: `${device ? "Device" : "Host"} time, forward and backward, of that of all modules.`,
    at: (row: number) => {
      const own = time(row);
      return own === null || total === 0 ? null : (100 * own) / total;
    },
  };
  return new Rows(rows.length, [...rows.columns, share]);
}
