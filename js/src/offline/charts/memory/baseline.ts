/** The memory of another run under the curves, as `nbprof/charts/memory/baseline.py` has it. */
import { formatBytes } from "../../../values/format";
import type { Curve } from "./curves";

/** What the line of a baseline is called; it has dashes of its own. */
export const BASELINE = "baseline";

/** The curve of a device or component in saved state, on the clock of the chart. */
interface SavedCurve {
  label: string;
  time_us: number[];
  values: number[];
  peak: number;
  peak_us: number | null;
}

export interface SavedBaseline {
  /** What it covers. */
  range_us: [number, number];
  operator: SavedCurve[];
  component: SavedCurve[];
}

/** The curves of the baseline that correspond to curves; undefined for those without. */
export function partnersOf(
  curves: readonly Curve[],
  others: readonly SavedCurve[],
): (Curve | undefined)[] {
  const found = new Map<string, number>();
  for (const { label } of curves) {
    const at = others.findIndex((other) => other.label === label);
    if (at >= 0) found.set(label, at);
  }
  const taken = new Set(found.values());
  const ofParts = curves[0]?.isComponent ?? false;
  const isCpu = (label: string) => label === "CPU";
  const left = others.map((_, at) => at).filter((at) => !taken.has(at));
  for (const { label } of curves) {
    if (ofParts || found.has(label)) continue;
    const place = left.findIndex((at) => isCpu(others[at]?.label ?? "") === isCpu(label));
    if (place >= 0) found.set(label, left.splice(place, 1)[0] as number);
  }
  return curves.map(({ label }) => {
    const one = others[found.get(label) ?? -1];
    if (!one) return undefined;
    const { time_us, values, peak, peak_us } = one;
    const lines = [{ of: BASELINE, time_us, values }];
    return { label: one.label, lines, peak, peak_us: peak_us ?? Number.NaN, capacity: null };
  });
}

/** The difference between two peaks in brackets. */
export function changeText(peak: number, before: number): string {
  if (peak === before) return "(as before)";
  return `(${peak > before ? "+" : "\u2212"}${formatBytes(Math.abs(peak - before))})`;
}
