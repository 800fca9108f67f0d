/** How times and categories read around the canvas. */
import {
  chooseTimeUnit,
  formatDuration,
  formatNumber,
  formatTime,
  TIME_UNITS,
  type UnitWish,
} from "../../format";
import type { Category, View } from "../types";

interface CategoryWords {
  one: string;
  many: string;
}

export const CATEGORY_WORDS: Record<Category, CategoryWords> = {
  operator: { one: "operator", many: "operators" },
  runtime: { one: "runtime call", many: "runtime calls" },
  annotation: { one: "annotation", many: "annotations" },
  step: { one: "step", many: "steps" },
  dataloader: { one: "DataLoader", many: "DataLoader ranges" },
  python: { one: "Python function", many: "Python functions" },
  module: { one: "module", many: "modules" },
  kernel: { one: "kernel", many: "kernels" },
  memcpy: { one: "memory copy", many: "memory copies" },
  memset: { one: "memory set", many: "memory sets" },
  communication: {
    one: "communication",
    many: "communication kernels",
  },
  sync: { one: "synchronization", many: "synchronizations" },
  device_annotation: {
    one: "annotation on the device",
    many: "annotations on the device",
  },
};

/** A moment with the digits that tell moments apart in a window of this length: "425.600". */
function moment(ns: number, length_ns: number, wish: UnitWish): { text: string; unit: string } {
  const { label, divisor } = TIME_UNITS[wish === "auto" ? "ms" : wish];
  const magnitude = Math.floor(Math.log10(Math.max(length_ns, 1)));
  // Never finer than what was recorded, never coarser than a microsecond.
  const finest = Math.min(3, Math.max(0, magnitude - 3));
  const rounded = Math.round(ns / 10 ** finest) * 10 ** finest;
  const decimals = Math.log10(divisor) + 3 - finest;
  return { text: formatNumber(rounded / (divisor * 1e3), decimals), unit: label };
}

/** A position in the trace: "431.169 ms". */
export function positionText(ns: number, length_ns: number, wish: UnitWish): string {
  const { text, unit } = moment(ns, length_ns, wish);
  return `${text} ${unit}`;
}

/** "425.600 to 431.600 ms (6.000 ms)" */
export function rangeText({ start_ns, end_ns }: View, wish: UnitWish): string {
  const length = end_ns - start_ns;
  const from = moment(start_ns, length, wish);
  const to = moment(end_ns, length, wish);
  return `${from.text} to ${to.text} ${to.unit} (${positionText(length, length, wish)})`;
}

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
