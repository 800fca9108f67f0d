/** Draws overlapping times as bars with percentages of a whole, as `nbprof/charts/bars/nested.py`. */
import type { Drawing } from "../../chart/drawing";
import { chooseTimeUnit, formatNumber, formatPercent, type UnitChoice } from "../../values/format";
import { shortName } from "./colors";
import { timeText } from "./donut";
import { drawRows } from "./rows";
import { merge, shownNames } from "./slices";

/** Number of bars where all are requested: more would be far higher than the donuts beside them. */
const MOST = 20;

/** The value of 100 %, and its label. */
export interface Whole {
  value: number;
  text: string;
}

export function nestedBars(
  names: readonly string[],
  times: readonly (number | null)[],
  slotOf: (name: string) => number,
  title: string,
  whole: Whole,
  look: { top: number | null; unit: UnitChoice; width: number },
  isKept: ((name: string) => boolean) | null = null,
): Drawing {
  const ranked = merge(names, times);
  const shown = shownNames(ranked, look.top ?? MOST, isKept).sort((a, b) => b[1] - a[1]);
  const [name, value] = [shown.map(([one]) => one), shown.map(([, one]) => one)];
  const label = name.map(shortName);
  const unit = chooseTimeUnit(value, look.unit);
  const totals = value.map((one) => one / unit.divisor);
  const pct = value.map((one) => (whole.value ? (100 * one) / whole.value : null));
  const said = pct.map((one) => `${formatPercent(one)} %`);
  const parts = name.map((one, row) => ({
    title: "",
    color: `var(--o-${slotOf(one)})`,
    hatched: false,
    values: totals.map((total, at) => (at === row ? total : 0)),
  }));
  const lines = [title, whole.text];
  if (ranked.length > shown.length)
    lines[0] += `: ${shown.length} of ${formatNumber(ranked.length)} names`;
  const muted = name.map((one) => isKept !== null && !isKept(one));
  const bars = { names: label, rest: "", totals, parts, unit, stacked: true, muted };
  return drawRows(bars, look.width, {
    lines,
    said,
    tips: shown.map(
      ([one, time], row) => `${one}\nTime ${timeText(time, look.unit)}\nShare ${said[row]}`,
    ),
    slices: { name, label, value, pct },
  });
}
