/** Draws the only step as a horizontal bar, as `nbprof/charts/steps/single.py`. */
import type { Drawing } from "../../../chart/drawing";
import { formatNumber, formatPercent } from "../../../values/format";
import { sideBySide } from "../layout";
import { type Box, fillBoxes } from "../legend";
import { INK, Sheet } from "../sheet";
import { textWidth } from "../textwidth";
import { type Bars, tipOf } from "./bars";

const HEIGHT = 84;
const HEAD = 8;
/** Upper and lower edge of the bar; the lines of shares and of names below it. */
const [TOP, BOTTOM, SHARE, NAME] = [18, 42, 59, 73];
const APART = 10;
/** Shares from which parts are named, if all have room, %. */
const LEAST = [1, 2, 5, 10, 20, 100];
/** How much wider bold digits and signs are, at most. */
const BOLD = 1.2;

interface Label {
  /** The middle of its part as a fraction of the whole; null for the remainder. */
  at: number | null;
  share: string;
  name: string;
  width: number;
}

/** @param title - label of the bar */
export function drawSingle(bars: Bars, width: number, source: string, title: string): Drawing {
  const { numbers, totals, parts, complete, unit, muted = [] } = bars;
  const sheet = new Sheet(width, HEIGHT);
  const [total = 0] = totals;
  const scale = total ? width / total : 0;
  let from = 0;
  const slices = parts.map(({ title: name, values: [value = 0] }) => {
    const middle = from + value / 2;
    from += value;
    return { name, value, middle };
  });
  parts.forEach((part, at) => {
    const { value = 0, middle = 0 } = slices[at] ?? {};
    const length = value * scale;
    if (length < 0.05) return;
    const gap = length > 3 ? 1 : 0;
    const box: Box = [(middle - value / 2) * scale, TOP, length - gap, BOTTOM - TOP];
    fillBoxes(sheet, part, [box]);
  });
  sheet.veil(muted[0] ? [[0, 0, width, HEIGHT]] : []);
  const partly = complete[0] === false ? ", recorded in part" : "";
  sheet.text(0, HEAD, title + partly);
  const whole = `${formatNumber(total, unit.decimals)} ${unit.label}`;
  sheet.text(width, HEAD, whole, { align: "end", color: INK.foreground, bold: true });
  const labels = labelsOf(slices, total, width);
  const wanted = labels.map(({ at }) => (at === null ? width : at * width));
  const widths = labels.map((one) => one.width);
  const places = sideBySide(wanted, widths, APART, 0, width);
  labels.forEach(({ at, share, name }, index) => {
    const [place, middle] = [places[index] ?? 0, wanted[index] ?? 0];
    const foot = Math.min(Math.max(middle, 0.5), width - 0.5);
    if (at !== null)
      sheet.line(
        [
          [foot, BOTTOM + 1],
          [place, SHARE - 7],
        ],
        INK.line,
      );
    sheet.text(place, SHARE, share, { align: "middle", color: INK.foreground, bold: true });
    sheet.text(place, NAME, name, { align: "middle" });
  });
  sheet.sources[source] = { step: numbers, total: totals, muted: [Number(muted[0] ?? false)] };
  sheet.items = { kind: "rows", source, x: 0, y: TOP, inner: BOTTOM - TOP, outer: width };
  sheet.add({
    tag: "rect",
    at: { x: 0, y: TOP, width, height: BOTTOM - TOP },
    look: { fill: "transparent" },
    tip: [
      title,
      ...tipOf(bars, 0),
      ...(partly ? ["Recorded in part"] : []),
      ...(muted[0] ? ["Outside of the filter"] : []),
    ].join("\n"),
  });
  return sheet.drawing();
}

/** The labels from left to right; the smallest parts share the last one. */
function labelsOf(
  slices: readonly { name: string; value: number; middle: number }[],
  total: number,
  width: number,
): Label[] {
  let found: Label[] = [];
  for (const least of total ? LEAST : []) {
    const shares = slices.map((slice) => ({ ...slice, pct: (100 * slice.value) / total }));
    const small = shares.filter(({ pct }) => pct > 0 && pct < least);
    const alone = small.length === 1;
    found = shares
      .filter(({ pct }) => pct >= least || (alone && pct > 0))
      .map(({ name, pct, middle }) => label(middle / total, pct, name));
    const rest = small.reduce((sum, { pct }) => sum + pct, 0);
    if (small.length > 1) found.push(label(null, rest, `${small.length} others`));
    const taken = found.reduce((sum, one) => sum + one.width + APART, -APART);
    if (taken <= width) break;
  }
  return found;
}

function label(at: number | null, pct: number, name: string): Label {
  const share = `${formatPercent(pct)} %`;
  return { at, share, name, width: Math.max(BOLD * textWidth(share), textWidth(name)) };
}
