/** Texts of differences: with their sign, and in words. */
import { DASH, formatNumber, formatPercent, type TimeUnit } from "../../values/format";

type Change = "added" | "removed" | "up" | "down" | "same";

/** A difference with its sign; "0" has none, and what rounds to it is "≈ 0". */
export function signedTime(value_us: number, { divisor, decimals }: TimeUnit): string {
  return signed(value_us / divisor, decimals);
}

function signed(value: number, decimals: number): string {
  const text = formatNumber(value, decimals);
  if (value <= 0) return text;
  return text.startsWith("<") ? formatNumber(-value, decimals) : `+${text}`;
}

export function signedPercent(value: number | null): string {
  return value === null ? DASH : `${signed(value, 1)} %`;
}

/** The standard error of a difference: "± 0.4 %". */
export function noiseText(value: number | null): string {
  return value === null ? DASH : `± ${formatPercent(value)} %`;
}

/** How a time changed, in a word. */
export function verdict(change: Change, hasNoise: boolean): string {
  if (change === "same") return hasNoise ? "within the noise" : "no difference";
  return {
    added: "only in the candidate",
    removed: "only in the baseline",
    up: "slower",
    down: "faster",
  }[change];
}
