/** The curves of the memory chart: what is known of a device or of a component. */

/** The memory of one device, or of one component, as step functions, and what is said of it. */
export interface Curve {
  label: string;
  /** What is known, of a device the memory in use first. */
  lines: Line[];
  peak: number;
  peak_us: number;
  capacity: number | null;
  isComponent?: boolean;
}

/** One line: what it is of (allocated, reserved, peak allocated, …), where that is known. */
export interface Line {
  of: string;
  time_us: number[];
  values: number[];
}

/** How lines are dashed, px; those without are solid. */
export const DASHES: Record<string, string> = {
  reserved: "5 3",
  "peak allocated": "1 3",
  "peak reserved": "1 3",
};

/** The capacity if a line for it leaves the curve more than half of the axis. */
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

/** Whether lines are so many that only labels beside them say what they are. */
export function wantsLabels(curves: readonly Curve[]): boolean {
  const [only] = curves;
  return Boolean(only && (only.isComponent || (curves.length === 1 && only.lines.length > 2)));
}
