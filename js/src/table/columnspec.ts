/** One column of a table on screen. */
export type Kind = "name" | "text" | "count" | "time" | "percent" | "bytes" | "number" | "flag";

export interface ColumnSpec {
  key: string;
  label: string;
  /** The header above adjacent columns of one family. */
  group?: string;
  kind: Kind;
  unit: string;
  meaning: string;
  /** CSS px; the name column takes the remaining width, but at least this. */
  width: number;
  /** A bar under the number, or beside it for shares, in this colour. */
  bar?: "under" | "beside";
  fill?: string;
  /** Number of decimals, where the unit does not decide it. */
  decimals?: number;
  /** Whether positive values have a plus. */
  signed?: boolean;
  /** Hidden until the user shows it. */
  rare?: boolean;
}
