/** `Bars`: the data of a bar chart, whose bars are steps or the only step. */
import { formatNumber, type TimeUnit } from "../../../values/format";

export interface Part {
  title: string;
  color: string;
  /** Whether it is the remainder or idle. */
  hatched: boolean;
  values: number[];
}

export interface Bars {
  numbers: number[];
  totals: number[];
  parts: Part[];
  complete: boolean[];
  unit: TimeUnit;
  /** Whether parts are stacked, so that a bar is their sum, or drawn side by side. */
  stacked: boolean;
  mean: number | null;
  /** Whether each step is outside of the filter. */
  muted?: boolean[];
}

/** The tooltip of a bar: its parts from top to bottom. */
export function tipOf(
  { totals, parts, unit, stacked }: Pick<Bars, "totals" | "parts" | "unit" | "stacked">,
  row: number,
) {
  const said = (title: string, values: readonly number[]) =>
    `${title} ${formatNumber(values[row] ?? 0, unit.decimals)} ${unit.label}`;
  const lines = parts.map(({ title, values }) => said(title, values));
  return [...(stacked ? [said("Total", totals)] : []), ...lines.reverse()];
}
