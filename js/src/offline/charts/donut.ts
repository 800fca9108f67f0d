/** Draws a donut with labels on leader lines beside it. */
import type { Drawing } from "../../chart/drawing";
import { ringPart } from "../../picking/items";
import { chooseTimeUnit, formatNumber, formatPercent, type UnitChoice } from "../../values/format";
import { shortName } from "./colors";
import { type Frame, frameOf, placeLabels } from "./donutlabels";
import { INK, MUTED, Sheet, SMALL } from "./sheet";
import { angles, merge, type Slice, sumOf, topSlices } from "./slices";
import { fitSize, fitText, textWidth } from "./textwidth";

export const REST = "var(--c-rest)";
const TITLE_ROOM = 20;
const TITLE = 13;
const NARROW = 400;
/** With more slices than this, the donut is higher. */
const FEW = 12;

interface DonutLook {
  width: number;
  height?: number;
  unit: UnitChoice;
}

/** The height of a donut for a width; many slices take more room. */
export function donutHeight(width: number, top: number | null, titled = true): number {
  return (top === null || top > FEW || width < NARROW ? 206 : 132) + (titled ? TITLE_ROOM : 0);
}

/** Draw times by name: the largest clockwise from twelve o'clock, then the rest as one slice. */
export function donut(
  names: readonly string[],
  values: readonly (number | null)[],
  title: string,
  slotOf: (name: string) => number,
  look: DonutLook & {
    top: number | null;
    others: { count: number; value: number };
    /** Whether a name is in the filter; null where names are not filtered. */
    isKept?: ((name: string) => boolean) | null;
  },
): Drawing {
  const ranked = merge(names, values);
  const color = (name: string) => `var(--o-${slotOf(name)})`;
  const { others } = look;
  const { isKept = null } = look;
  const shown = { label: shortName, color, rest: REST };
  const slices = topSlices(ranked, look.top, others, shown, isKept);
  const height = look.height ?? donutHeight(look.width, look.top);
  if (!isKept) return drawDonut(slices, { ...look, height, title });
  const [own, all] = [sumOf(slices.filter(({ muted }) => !muted)), sumOf(slices)];
  const unit = chooseTimeUnit([all], look.unit);
  const [part, whole] = [own, all].map((one) => formatNumber(one / unit.divisor, unit.decimals));
  const hole: [string, string] = [part ?? "", `of ${whole} ${unit.label}`];
  const share = formatPercent(all ? (100 * own) / all : 0);
  return drawDonut(slices, { ...look, height, title: `${title} (${share} % in the filter)`, hole });
}

/** Format a time in the chosen unit, or in the one that suits it. */
export function timeText(value: number, choice: UnitChoice): string {
  const unit = chooseTimeUnit([value], choice);
  const short = choice === "auto" && unit.label === "µs" && value < 10;
  const decimals = short ? (value < 1 ? 3 : 1) : unit.decimals;
  return `${formatNumber(value / unit.divisor, decimals)} ${unit.label}`;
}

interface RingLook extends DonutLook {
  height: number;
  title: string | null;
  /** The two lines in the hole; by default the sum with its unit. */
  hole?: [string, string];
  /** The label of the values, where they are not times. */
  what?: string;
}

/** Draw slices that are already chosen and ranked. */
export function drawDonut(slices: readonly Slice[], look: RingLook): Drawing {
  const { width, height, title } = look;
  const frame = frameOf(width, height - (title ? TITLE_ROOM : 0));
  const sheet = new Sheet(width, height);
  const down = (y: number) => height - y;
  ring(sheet, slices, frame, look, down);
  if (title) {
    const text = textWidth(title) <= width - 8 ? title : (title.split(" (")[0] ?? "");
    const cut = fitText(text, width - 8, SMALL, text.length);
    sheet.text(frame.x, TITLE_ROOM / 2, cut, { align: "middle" });
  }
  for (const label of placeLabels(slices, frame)) {
    sheet.line(
      label.leader.map(([x, y]) => [x, down(y)] as const),
      INK.line,
    );
    const [px, py] = label.pctAt;
    const [nx, ny] = label.nameAt;
    const strong = { align: label.pctAlign, color: INK.foreground, bold: true };
    sheet.text(px, down(py), label.pct, label.muted ? { align: label.pctAlign } : strong);
    sheet.text(nx, down(ny), label.name, { align: label.nameAlign });
  }
  const sum = sumOf(slices);
  const unit = chooseTimeUnit([sum], look.unit);
  const [first, second] = look.hole ?? [
    formatNumber(sum / unit.divisor, unit.decimals),
    unit.label,
  ];
  const room = 2 * frame.inner - 10;
  const middle = { align: "middle", color: INK.foreground } as const;
  const size = fitSize(first, room, TITLE, true);
  sheet.text(frame.x, down(frame.y + 4), first, { ...middle, bold: true, size });
  const small = fitSize(second, room - 6, SMALL);
  sheet.text(frame.x, down(frame.y - 11), second, { align: "middle", size: small });
  return sheet.drawing();
}

function ring(
  sheet: Sheet,
  slices: readonly Slice[],
  frame: Frame,
  look: RingLook,
  down: (y: number) => number,
): void {
  const [x, y] = [frame.x, down(frame.y)];
  if (!slices.length) {
    const r = (frame.outer + frame.inner) / 2;
    const style = { fill: "none", stroke: REST, "stroke-width": `${frame.outer - frame.inner}px` };
    sheet.add({ tag: "circle", at: { cx: x, cy: y, r }, look: style });
    return;
  }
  const whole = sumOf(slices);
  const shares = slices.map(({ value }) => (100 * value) / whole);
  const spans = angles(slices.map(({ value }) => value));
  sheet.sources.slices = {
    name: slices.map(({ name }) => name),
    label: slices.map(({ label }) => label),
    value: slices.map(({ value }) => value),
    pct: shares,
    muted: slices.map(({ muted }) => Number(muted ?? false)),
    start: spans.map(([start]) => start),
    end: spans.map(([, end]) => end),
  };
  sheet.items = { kind: "ring", source: "slices", x, y, inner: frame.inner, outer: frame.outer };
  const filtered = slices.some(({ muted }) => muted);
  const own = sumOf(slices.filter(({ muted }) => !muted));
  spans.forEach(([start, end], row) => {
    const slice = slices[row];
    if (!slice) return;
    // A gap would hide a slice that is only a pixel or two wide.
    const gap = (start - end) * frame.outer > 4 && slices.length > 1;
    sheet.add({
      tag: "path",
      at: { d: ringPart({ x, y, inner: frame.inner, outer: frame.outer }, start, end) },
      look: {
        fill: slice.color,
        ...(gap && { stroke: INK.background }),
        ...(slice.muted && { "fill-opacity": `${MUTED}` }),
      },
      tip: [
        slice.name || slice.label,
        `${look.what ?? "Time"} ${timeText(slice.value, look.unit)}`,
        `Share ${filtered ? "of all " : ""}${formatPercent(shares[row] ?? 0)} %`,
        ...(!filtered
          ? []
          : [
              `Share of filter ${slice.muted ? "outside" : `${formatPercent((100 * slice.value) / own)} %`}`,
            ]),
      ].join("\n"),
    });
  });
}
