/** Computes the ticks of the ruler, and formats positions and durations. */
import type { Context } from "../../../core/context";
import { formatNumber, type UnitChoice } from "../../../values/format";
import type { Timeline, View } from "../state/types";

interface TickUnit {
  label: "ns" | "µs" | "ms" | "s";
  ns: number;
}

const UNITS: Record<Exclude<UnitChoice, "auto">, TickUnit> = {
  ns: { label: "ns", ns: 1 },
  us: { label: "µs", ns: 1e3 },
  ms: { label: "ms", ns: 1e6 },
  s: { label: "s", ns: 1e9 },
};

interface Ticks {
  /** Distance of labelled ticks, in ns; 1, 2 or 5 times a power of ten. */
  step: number;
  unit: TickUnit;
  /** Labelled ticks, in ns. */
  major: number[];
  /** Ticks between them. */
  minor: number[];
}

const ROOM = 80;
const DIGIT = 6.4;
const MINOR_ROOM = 6;

/** Shorter durations, ns, use microseconds: in milliseconds they would read as zeros. */
const SHORT = 1e6;

/** The chosen unit of positions; microseconds by default if the trace is short. */
export function positionChoice(
  { session }: Pick<Context, "session">,
  { state: { layout } }: Pick<Timeline, "state">,
): UnitChoice {
  const choice = session.get("time_unit") ?? "auto";
  return choice === "auto" && layout && layout.end_ns - layout.start_ns < SHORT ? "us" : choice;
}

/** Unit of positions in a window: fine enough for short numbers, the same while zooming. */
export function positionUnit(window_ns: number, choice: UnitChoice = "auto"): TickUnit {
  if (choice !== "auto") return UNITS[choice];
  return window_ns >= 1e10 ? UNITS.s : window_ns >= 1e4 ? UNITS.ms : UNITS.us;
}

export function ticks(view: View, width: number, choice: UnitChoice = "auto"): Ticks {
  const span = Math.max(view.end_ns - view.start_ns, 1e-3);
  const pixel = span / Math.max(width, 1);
  const unit = positionUnit(span, choice);
  let step = niceStep(pixel * ROOM);
  // Long numbers, such as nanoseconds far from the start, need more room.
  while (pixel && labelWidth(view.end_ns, step, unit) > step / pixel) step = niceStep(step * 1.5);
  const minor = step / 10 / pixel >= MINOR_ROOM && step >= 10 ? step / 10 : step;
  const major: number[] = [];
  const between: number[] = [];
  const first = Math.ceil(view.start_ns / minor);
  const last = Math.floor(view.end_ns / minor);
  const every = Math.round(step / minor);
  for (let at = first; at <= last; at += 1) (at % every ? between : major).push(at * minor);
  return { step, unit, major, minor: between };
}

function labelWidth(ns: number, step: number, unit: TickUnit): number {
  return tickText(ns, step, unit).length * DIGIT + 12;
}

/** The next larger 1, 2 or 5 times a power of ten, at least one nanosecond. */
function niceStep(least: number): number {
  if (least <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5, 10].find((each) => each * power >= least * (1 - 1e-9)) ?? 10;
  return Math.round(factor * power);
}

/** Format a position without unit, with enough decimals to distinguish positions `step` ns apart. */
export function tickText(ns: number, step: number, unit: TickUnit): string {
  const decimals = Math.max(0, -Math.floor(Math.log10(Math.max(step, 1) / unit.ns) + 1e-9));
  const scale = 10 ** decimals;
  // Rounded first, so that a position near zero does not read "<0.001".
  return formatNumber(Math.round((ns / unit.ns) * scale) / scale, decimals);
}

/** Format a position with its unit, to about a tenth of the window: "427.166 ms". */
export function formatAt(ns: number, window_ns: number, choice: UnitChoice = "auto"): string {
  const unit = positionUnit(window_ns, choice);
  return `${tickText(ns, window_ns / 10, unit)} ${unit.label}`;
}

/** Format a duration with four digits and its unit: "3.921 ms". */
export function formatSpan(ns: number): string {
  const size = Math.abs(ns);
  if (size < 1e3) return `${formatNumber(Math.round(ns))} ns`;
  // Round first: 999,999 ns read 1.000 ms.
  const rounded = Number(size.toPrecision(4));
  const unit = rounded < 1e6 ? UNITS.us : rounded < 1e9 ? UNITS.ms : UNITS.s;
  const digits = Math.floor(Math.log10(rounded / unit.ns) + 1e-9);
  return `${formatNumber(ns / unit.ns, Math.max(0, 3 - digits))} ${unit.label}`;
}
