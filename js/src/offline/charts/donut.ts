/** Draws a donut with labels on leader lines beside it. */
import type { Drawing } from "../../chart/drawing";
import { chooseTimeUnit, formatNumber, formatPercent, type UnitWish } from "../../values/format";
import { shortName } from "./colors";
import { type Frame, frameOf, placeLabels } from "./donutlabels";
import { INK, round, Sheet, SMALL } from "./sheet";
import { angles, merge, type Slice, sumOf, topSlices } from "./slices";
import { fitSize, fitText, textWidth } from "./textwidth";

export const REST = "var(--c-rest)";
const TITLE_ROOM = 20;
const TITLE = 13;
const NARROW = 400;

interface DonutLook {
  width: number;
  height?: number;
  unit: UnitWish;
}

/** The height of a donut for a width. */
export function donutHeight(width: number, many: boolean, titled = true): number {
  return (many || width < NARROW ? 206 : 132) + (titled ? TITLE_ROOM : 0);
}

/** Draw times by name: the largest clockwise from twelve o'clock, then the rest as one slice. */
export function donut(
  names: readonly string[],
  values: readonly (number | null)[],
  title: string,
  slotOf: (name: string) => number,
  look: DonutLook & { top: number | null; others: { count: number; value: number } },
): Drawing {
  const ranked = merge(names, values);
  const color = (name: string) => `var(--o-${slotOf(name)})`;
  const { others } = look;
  const slices = topSlices(ranked, look.top, others, { label: shortName, color, rest: REST });
  const height = look.height ?? donutHeight(look.width, look.top === null);
  return drawDonut(slices, { ...look, height, title });
}

/** Format a time in the chosen unit, or in the one that suits it. */
export function timeText(value: number, wish: UnitWish): string {
  const unit = chooseTimeUnit([value], wish);
  const short = wish === "auto" && unit.label === "µs" && value < 10;
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
  /** Whether a click on a slice selects it. */
  picks?: boolean;
}

/** Draw given slices. */
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
    sheet.text(px, down(py), label.pct, strong);
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
  sheet.sources.slices = {
    name: slices.map(({ name }) => name),
    label: slices.map(({ label }) => label),
    value: slices.map(({ value }) => value),
    pct: shares,
  };
  angles(slices.map(({ value }) => value)).forEach(([start, end], row) => {
    const slice = slices[row];
    if (!slice) return;
    // A gap would hide a slice that is only a pixel or two wide.
    const gap = (start - end) * frame.outer > 4 && slices.length > 1;
    sheet.add({
      tag: "path",
      at: { d: wedge(x, y, frame, start, end) },
      look: { fill: slice.color, ...(gap && { stroke: INK.background }) },
      ...(look.picks !== false && slice.name && { row: ["slices", row] as [string, number] }),
      tip: [
        slice.name || slice.label,
        `${look.what ?? "Time"} ${timeText(slice.value, look.unit)}`,
        `Share ${formatPercent(shares[row] ?? 0)} %`,
      ].join("\n"),
    });
  });
}

/** The outline of a slice; a full circle is drawn as two halves. */
function wedge(x: number, y: number, frame: Frame, start: number, end: number): string {
  const turn = start - end;
  if (turn > 2 * Math.PI - 1e-6) {
    const middle = start - turn / 2;
    return wedge(x, y, frame, start, middle) + wedge(x, y, frame, middle, middle - turn / 2 + 1e-7);
  }
  const at = (radius: number, angle: number) =>
    `${round(x + radius * Math.cos(angle))} ${round(y - radius * Math.sin(angle))}`;
  const large = turn > Math.PI ? 1 : 0;
  const { outer, inner } = frame;
  return (
    `M${at(outer, start)}A${round(outer)} ${round(outer)} 0 ${large} 1 ${at(outer, end)}` +
    `L${at(inner, end)}A${round(inner)} ${round(inner)} 0 ${large} 0 ${at(inner, start)}Z`
  );
}
