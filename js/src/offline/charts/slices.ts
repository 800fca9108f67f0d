/** Computes the slices of a donut: ranks values, joins small ones, and gives angles. */
import { formatNumber } from "../../values/format";

/** Largest number of slices: thinner ones could not be seen. */
const MOST = 300;

export interface Slice {
  /** Empty for joined slices. */
  name: string;
  label: string;
  value: number;
  color: string;
  /** Whether it is outside of the filter. */
  muted?: boolean;
}

/** The largest names, and the largest of those in the filter; see `nbprof/charts/context.py`. */
export function shownNames(
  ranked: readonly [string, number][],
  most: number,
  isKept: ((name: string) => boolean) | null,
): [string, number][] {
  const more = isKept ? ranked.slice(most).filter(([name]) => isKept(name)) : [];
  return [...ranked.slice(0, most), ...more.slice(0, most)];
}

/** Add up values of equal names and rank them, largest first; nulls and zeros are dropped. */
export function merge(
  names: readonly string[],
  values: readonly (number | null)[],
): [string, number][] {
  const sums = new Map<string, number>();
  names.forEach((name, at) => {
    const value = values[at];
    if (value !== null && value !== undefined && value > 0)
      sums.set(name, (sums.get(name) ?? 0) + value);
  });
  return [...sums].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

/** Return all values as slices, largest first. */
export function ranked(
  names: readonly string[],
  values: readonly (number | null)[],
  color: (name: string) => string,
): Slice[] {
  return merge(names, values).map(([name, value]) => ({
    name,
    label: name,
    value,
    color: color(name),
  }));
}

export function sumOf(slices: readonly Pick<Slice, "value">[]): number {
  return slices.reduce((sum, { value }) => sum + value, 0);
}

/**
 * Return the largest values as slices, and all others as one at the end.
 *
 * @param others - names that are not ranked, all of smaller value
 */
export function topSlices(
  ranked: readonly [string, number][],
  top: number | null,
  others: { count: number; value: number },
  look: { label: (name: string) => string; color: (name: string) => string; rest: string },
  isKept: ((name: string) => boolean) | null = null,
): Slice[] {
  const isMuted = (name: string) => isKept !== null && !isKept(name);
  const shown = shownNames(ranked, top === null ? MOST : Math.max(top, 1), isKept);
  const names = new Set(shown.map(([name]) => name));
  const made: Slice[] = shown.map(([name, value]) => ({
    name,
    label: look.label(name),
    value,
    color: look.color(name),
    muted: isMuted(name),
  }));
  for (const muted of [false, true]) {
    const rest = ranked.filter(([name]) => !names.has(name) && isMuted(name) === muted);
    // Names that are not ranked are outside of a filter.
    const more = muted === (isKept !== null) ? others : { count: 0, value: 0 };
    const count = rest.length + more.count;
    const value = rest.reduce((sum, [, one]) => sum + one, more.value);
    if (!count || !value) continue;
    const where = isKept && !muted ? " in the filter" : "";
    const label = `${formatNumber(count)} other${count > 1 ? "s" : ""}${where}`;
    made.push({ name: "", label, value, color: look.rest, muted });
  }
  return made;
}

/** Join all slices under a share of the whole, where there are two or more of them. */
export function joinSmall(slices: readonly Slice[], least: number, rest: string): Slice[] {
  const whole = sumOf(slices);
  const isSmall = ({ value }: Slice) => 100 * value < least * whole;
  const small = slices.filter(isSmall);
  if (small.length < 2) return [...slices];
  const value = sumOf(small);
  const label = `${small.length} under ${least} %`;
  return [...slices.filter((one) => !isSmall(one)), { name: "", label, value, color: rest }];
}

/** Start and end angles of slices, measured from three o'clock, decreasing clockwise from twelve. */
export function angles(values: readonly number[]): [number, number][] {
  const whole = values.reduce((sum, value) => sum + value, 0);
  let so = 0;
  let start = Math.PI / 2;
  return values.map((value, at) => {
    so += value;
    const part = at === values.length - 1 ? 1 : Math.min(so / whole, 1);
    const end = Math.PI / 2 - 2 * Math.PI * part;
    const span: [number, number] = [start, end];
    start = end;
    return span;
  });
}
