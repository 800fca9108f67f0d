/** Types of the curves of the memory chart, with their highest value and capacity. */

/** The memory of one device or component, as step functions, with its label and peak. */
export interface Curve {
  label: string;
  /** The known lines; for a device the memory in use is first. */
  lines: Line[];
  peak: number;
  peak_us: number;
  capacity: number | null;
  isComponent?: boolean;
}

/** One line: its quantity (allocated, reserved, peak allocated, …) over time. */
export interface Line {
  of: string;
  time_us: number[];
  values: number[];
}

/** Dash patterns of lines, px; other lines are solid. */
export const DASHES: Record<string, string> = {
  reserved: "5 3",
  "peak allocated": "1 3",
  "peak reserved": "1 3",
  baseline: "9 4",
};

/** The capacity, if drawing it leaves the curve more than half of the axis; else null. */
export function capacityOf({ capacity, peak }: Curve): number | null {
  return capacity !== null && peak > capacity / 2 ? capacity : null;
}

export function highestOf(curves: readonly Curve[]): number {
  let highest = 0;
  for (const curve of curves) {
    highest = Math.max(highest, curve.peak, capacityOf(curve) ?? 0);
    for (const { values } of curve.lines)
      for (const value of values) highest = Math.max(highest, value);
  }
  return highest;
}

/** Whether there are so many lines that they need labels beside them. */
export function wantsLabels(curves: readonly Curve[]): boolean {
  const [only] = curves;
  return Boolean(only && (only.isComponent || (curves.length === 1 && only.lines.length > 2)));
}
