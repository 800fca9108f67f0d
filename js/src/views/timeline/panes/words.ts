/** How times and categories read around the canvas. */
import {
  chooseTimeUnit,
  formatDuration,
  formatNumber,
  formatTime,
  plural,
  type UnitWish,
} from "../../../values/format";
import type { Category } from "../data/messages";
import { formatSpan, positionUnit, tickText } from "../drawing/ticks";
import type { Hit, View } from "../state/types";

const MICROSECOND = 1e3;

interface CategoryWords {
  one: string;
  /** Where an "s" at the end does not do. */
  many?: string;
}

export const CATEGORY_WORDS: Record<Category, CategoryWords> = {
  operator: { one: "operator" },
  runtime: { one: "runtime call" },
  annotation: { one: "annotation" },
  step: { one: "step" },
  dataloader: { one: "DataLoader", many: "DataLoader ranges" },
  python: { one: "Python function" },
  module: { one: "module" },
  kernel: { one: "kernel" },
  memcpy: { one: "memory copy", many: "memory copies" },
  memset: { one: "memory set" },
  communication: { one: "communication", many: "communication kernels" },
  sync: { one: "synchronization" },
  device_annotation: { one: "annotation on the device", many: "annotations on the device" },
  phase: { one: "phase of an operator", many: "phases of operators" },
  task: { one: "task" },
  computing: { one: "time of computing", many: "computing" },
  communicating: { one: "time of communication", many: "communication" },
  free: { one: "free time", many: "free" },
};

/**
 * A position in the trace: "431.169 ms".
 *
 * @param window_ns - length of what is on screen: nanoseconds are worth reading when zoomed in
 */
export function positionText(ns: number, window_ns: number, wish: UnitWish): string {
  const unit = positionUnit(10 * MICROSECOND, wish);
  const step = Math.min(MICROSECOND, Math.max(1, window_ns / 1e3));
  return `${tickText(ns, step, unit)} ${unit.label}`;
}

/** A window in words, in the unit of the ruler over it: "425.600 to 431.600 ms (6.000 ms)". */
export function rangeText({ start_ns, end_ns }: View, wish: UnitWish): string {
  const length = end_ns - start_ns;
  const unit = positionUnit(length, wish);
  const text = (ns: number) => tickText(ns, Math.max(1, length / 1e3), unit);
  return `${text(start_ns)} to ${text(end_ns)} ${unit.label} (${formatSpan(length)})`;
}

/** What a block says: how many slices, how long they run, and what most of that time is. */
export function blockWords(
  { count, busy_ns, category }: Hit,
  wish: UnitWish,
): [count: string, busy: string, mostly: string] {
  const { one, many = `${one}s` } = CATEGORY_WORDS[category ?? "operator"];
  const mostly = category ? `mostly ${many}` : "";
  return [plural(count, "slice"), `${lengthText(busy_ns, wish)} busy`, mostly];
}

/** Slices of no length that start at one instant stay a block at every zoom. */
export function canZoomInto({ span }: Hit): boolean {
  return span !== null && span.end_ns > span.start_ns;
}

export const ONE_INSTANT = "all at one instant";

/** A length of time with about three digits: "275 µs", "640 ns". */
export function lengthText(ns: number, wish: UnitWish): string {
  const us = ns / 1e3;
  if (wish !== "auto") {
    const unit = chooseTimeUnit([us], wish);
    // In microseconds a short slice would be 0 or 1.
    const decimals = unit.label === "µs" && us < 10 ? 3 : unit.decimals;
    return `${formatTime(us, { ...unit, decimals })} ${unit.label}`;
  }
  if (us < 1) return `${formatNumber(ns)} ns`;
  if (us < 10) return `${formatNumber(us, 2)} µs`;
  if (us >= 1e3 && us < 1e4) return `${formatNumber(us / 1e3, 2)} ms`;
  return formatDuration(us);
}
