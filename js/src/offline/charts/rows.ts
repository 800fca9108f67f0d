/** Draws horizontal bars with row names, as `nbprof/charts/bars/row_plane.py` places them. */

import type { Drawing } from "../../chart/drawing";
import type { Value } from "../../values/arrow";
import { formatNumber, type TimeUnit } from "../../values/format";
import { highest, labelEvery, roundTicks } from "./layout";
import { type Box, drawLegend, fillBoxes, legendHeight } from "./legend";
import { INK, Sheet, SMALL } from "./sheet";
import { type Part, tipOf } from "./steps/bars";
import { tickText } from "./steps/stepplane";
import { runsOf } from "./steps/steps";
import { fitText, textWidth } from "./textwidth";

/** Height of a row and thickness of a bar; both shrink where there are more rows than `FEW`. */
const FEW = 24;
const WIDE = [24, 14] as const;
const CLOSE = [16, 10] as const;
const TIGHT = [14, 10] as const;
const BOTTOM = 22;
/** Height of a line of the title. */
const LINE = 15;
/** Share of the width that names may take. */
const NAMES = 0.36;

interface HorizontalBars {
  /** The name of each bar; null for the remainder. */
  names: Value[];
  rest: string;
  totals: number[];
  parts: Part[];
  unit: TimeUnit;
  /** Whether parts are stacked, so that a bar is their sum, or side by side. */
  stacked: boolean;
  /** Whether each bar is outside of the filter. */
  muted?: boolean[];
}

/** The whole that percentages refer to, and a title above the bars. */
interface ShareColumn {
  lines: string[];
  said: string[];
  tips: string[];
  /** The columns of the data source, as for a donut. */
  slices: Record<string, unknown[]>;
}

export function drawRows(
  {
    names,
    rest,
    totals: tops,
    parts,
    unit,
    stacked,
    muted = names.map(() => false),
  }: HorizontalBars,
  width: number,
  against?: ShareColumn,
): Drawing {
  const [usual, thickness] = against ? TIGHT : names.length > FEW ? CLOSE : WIDE;
  const ROW = stacked ? usual : Math.max(WIDE[0], 10 + 9 * parts.length);
  const lane = (ROW - 8) / Math.max(parts.length, 1);
  const THICK = stacked ? thickness : lane - 1;
  const labels = names.map((name) => String(name ?? rest));
  const {
    lines,
    said = tops.map((top) => (stacked ? formatNumber(top, unit.decimals) : "")),
    tips,
    slices,
  } = against ?? {};
  const cut = labels.map((label) => fitText(label, NAMES * width - 16));
  const left = Math.max(44, ...cut.map((text) => textWidth(text))) + 10;
  const beside = Math.max(0, ...said.map((text) => textWidth(text))) + 10;
  const right = Math.max(width - Math.max(beside, textWidth(unit.label) + 26), left + 40);
  const top = lines ? LINE * lines.length + 2 : legendHeight(parts, width) + 6;
  const base = top + ROW * Math.max(labels.length, 1);
  const sheet = new Sheet(width, base + BOTTOM);
  const ticks = roundTicks(highest(tops));
  const high = Math.max(ticks.at(-1) ?? 1, highest(tops));
  const x = (value: number) => left + (value / high) * (right - left);
  const written = ticks.map((tick) => tickText(tick, ticks));
  const room = Math.max(...written.map((text) => textWidth(text))) + 8;
  const every = labelEvery(ticks.length, x(ticks[1] ?? 1) - left, room);
  if (!lines) drawLegend(sheet, parts);
  lines?.forEach((line, at) => {
    const cut = fitText(line, width - 8, SMALL, line.length);
    sheet.text(width / 2, LINE * (at + 0.5), cut, { align: "middle" });
  });
  ticks.forEach((tick, at) => {
    const ends = [top, base].map((y): [number, number] => [x(tick), y]);
    sheet.line(ends, tick ? INK.grid : INK.line);
    if (at % every === 0) sheet.text(x(tick), base + 10, written[at] ?? "", { align: "middle" });
  });
  sheet.text(left - 14, base + 10, unit.label, { align: "end" });
  const below = names.map(() => 0);
  parts.forEach((part, at) => {
    const off = stacked ? 0 : (at - (parts.length - 1) / 2) * lane;
    const boxes = names.flatMap((_, row): Box[] => {
      const [from, value] = [below[row] ?? 0, part.values[row] ?? 0];
      if (stacked) below[row] = from + value;
      const length = x(value) - left;
      if (length < 0.05) return [];
      const gap = stacked && length > 3 ? 1 : 0;
      return [[x(from), top + row * ROW + (ROW - THICK) / 2 + off, length - gap, THICK]];
    });
    fillBoxes(sheet, part, boxes);
  });
  const source = slices ? "slices" : "bars";
  const flags = muted.map(Number);
  sheet.sources[source] = {
    ...(slices ?? { name: names.map((name) => name ?? "") }),
    muted: flags,
  };
  sheet.items = { kind: "rows", source, x: 0, y: top, inner: ROW, outer: width };
  sheet.veil(
    runsOf(muted).map(([first, last]) => {
      return [left + 1, top + first * ROW, width - left - 1, (last - first + 1) * ROW] as const;
    }),
  );
  if (!names.length)
    sheet.text((left + right) / 2, top + ROW / 2, "Nothing to show", { align: "middle" });
  cut.forEach((label, row) => {
    const y = top + (row + 0.5) * ROW;
    const color = muted[row] ? INK.muted : INK.foreground;
    sheet.text(left - 8, y, label, { align: "end", color });
    sheet.text(x(tops[row] ?? 0) + 5, y, said[row] ?? "");
    sheet.add({
      tag: "rect",
      at: { x: 0, y: y - ROW / 2, width, height: ROW },
      look: { fill: "transparent" },
      tip:
        tips?.[row] ??
        [labels[row], ...tipOf({ totals: tops, parts, unit, stacked }, row)].join("\n"),
    });
  });
  return sheet.drawing();
}
