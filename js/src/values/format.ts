/** Formats numbers: one unit per column, fixed decimals, and a dash for missing values. */

export type UnitChoice = "auto" | "ns" | "us" | "ms" | "s";

/** A unit of time or size. */
export interface TimeUnit {
  label: string;
  /** Microseconds or bytes per unit. */
  divisor: number;
  decimals: number;
}

export const TIME_UNITS: Record<Exclude<UnitChoice, "auto">, TimeUnit> = {
  ns: { label: "ns", divisor: 1e-3, decimals: 0 },
  us: { label: "µs", divisor: 1, decimals: 0 },
  ms: { label: "ms", divisor: 1e3, decimals: 1 },
  s: { label: "s", divisor: 1e6, decimals: 1 },
};

/** The text for null. */
export const DASH = "–";

const formats = new Map<number, Intl.NumberFormat>();

export function formatNumber(value: number, decimals = 0): string {
  let format = formats.get(decimals);
  if (!format) {
    format = new Intl.NumberFormat("en-US", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    formats.set(decimals, format);
  }
  // A small value must not look like zero.
  const least = 10 ** -decimals;
  if (value < 0) return withSign("-", formatNumber(-value, decimals));
  if (value > 0 && value < least / 2) return `<${format.format(least)}`;
  return format.format(value === 0 ? 0 : value);
}

/** Put a sign before a number; one that is too small to show, such as "<0.1", becomes "≈ 0". */
export function withSign(sign: string, text: string): string {
  return text[0] === "<" ? "≈ 0" : sign + text;
}

/**
 * Choose the unit in which the median of the values has one to three digits.
 *
 * A chosen unit takes precedence; where it is too large for the values, decimals are added until the
 * median shows three digits. `nbprof/model/units.py` does the same for charts.
 */
export function chooseTimeUnit(values_us: Iterable<number | null>, choice: UnitChoice): TimeUnit {
  const median = medianSize(values_us);
  const natural = naturalUnit(median);
  const unit = TIME_UNITS[choice === "auto" ? natural : choice];
  if (median === 0 || unit.divisor <= TIME_UNITS[natural].divisor) return unit;
  const digits = Math.floor(Math.log10(median / unit.divisor)) + 1;
  return { ...unit, decimals: Math.min(Math.max(unit.decimals, 3 - digits), 6) };
}

function naturalUnit(median: number): UnitChoice & keyof typeof TIME_UNITS {
  return median > 0 && median < 1e3 ? "us" : median < 1e7 ? "ms" : "s";
}

/** The unit of all times of a table: that of their median, or one in which the largest has room. */
export function tableUnit(values_us: readonly (number | null)[], choice: UnitChoice): UnitChoice {
  if (choice !== "auto") return choice;
  const natural = naturalUnit(medianSize(values_us));
  const most = Math.max(...values_us.map((value) => Math.abs(value ?? 0)));
  if (most >= 1e9) return "s";
  return natural === "us" && most >= 1e7 ? "ms" : natural;
}

function medianSize(values: Iterable<number | null>): number {
  const sizes = [...values].filter((v): v is number => v !== null && v !== 0).map(Math.abs);
  sizes.sort((a, b) => a - b);
  const middle = sizes.length >> 1;
  const upper = sizes[middle] ?? 0;
  return sizes.length % 2 ? upper : (upper + (sizes[middle - 1] ?? upper)) / 2;
}

export function formatTime(value_us: number | null, unit: TimeUnit): string {
  return value_us === null ? DASH : formatNumber(value_us / unit.divisor, unit.decimals);
}

export function formatPercent(value: number | null): string {
  return value === null ? DASH : formatNumber(value, 1);
}

/** Format a single duration with its unit: "1.07 s". */
export function formatDuration(value_us: number): string {
  if (value_us < 1e3) return `${formatNumber(value_us)} µs`;
  if (value_us < 1e6) return `${formatNumber(value_us / 1e3, 1)} ms`;
  return `${formatNumber(value_us / 1e6, 2)} s`;
}

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB"];

/** The unit in which a size has one to four digits before the decimal point. */
function byteUnit(value: number): TimeUnit {
  let at = 0;
  while (Math.abs(value) >= 1024 ** (at + 1) && at < SIZES.length - 1) at += 1;
  return { label: SIZES[at] ?? "", divisor: 1024 ** at, decimals: [0, 1, 1][at] ?? 2 };
}

/** Choose the unit of a column of sizes by their median. */
export function chooseByteUnit(values: Iterable<number | null>): TimeUnit {
  return byteUnit(medianSize(values));
}

export function formatBytes(value: number): string {
  const unit = byteUnit(value);
  return `${formatNumber(value / unit.divisor, unit.decimals)} ${unit.label}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatNumber(count)} ${count === 1 ? one : many}`;
}

/** Format a duration with about three digits: "275 µs", "640 ns". */
export function lengthText(ns: number, choice: UnitChoice): string {
  const us = ns / 1e3;
  if (choice !== "auto") {
    const unit = chooseTimeUnit([us], choice);
    // Without decimals a short slice would be 0 or 1 µs.
    const decimals = unit.label === "µs" && us < 10 ? 3 : unit.decimals;
    return `${formatTime(us, { ...unit, decimals })} ${unit.label}`;
  }
  if (us < 1) return `${formatNumber(ns)} ns`;
  if (us < 10) return `${formatNumber(us, 2)} µs`;
  if (us >= 1e3 && us < 1e4) return `${formatNumber(us / 1e3, 2)} ms`;
  return formatDuration(us);
}
