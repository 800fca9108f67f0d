/** Draws the legend of a chart, in lines above or below it, as `nbprof/charts/bars/legend.py` does. */
import { hatching, INK, round, type Sheet } from "./sheet";
import { fitText, textWidth } from "./textwidth";

const LINE = 16;
const SWATCH = 9;
const LABEL = 13;
const GAP = 14;

/** An item of a legend. */
interface Named {
  title: string;
  color: string;
  hatched: boolean;
}

function entries(parts: readonly Named[], width: number) {
  let x = 0;
  let line = 0;
  return parts.map((part) => {
    const text = fitText(part.title, width - LABEL);
    const room = LABEL + textWidth(text);
    if (x && x + room > width - 4) {
      x = 0;
      line += 1;
    }
    const entry = { part, text, x, y: LINE * (line + 0.5), line };
    x += room + GAP;
    return entry;
  });
}

export function legendHeight(parts: readonly Named[], width: number): number {
  const last = entries(parts, width).at(-1);
  return last ? LINE * (last.line + 1) : 0;
}

/** @param top - y of the first line */
export function drawLegend(sheet: Sheet, parts: readonly Named[], top = 0): void {
  for (const { part, text, x, y } of entries(parts, sheet.width)) {
    fillBoxes(sheet, part, [[x, top + y - SWATCH / 2, SWATCH, SWATCH]]);
    sheet.text(x + LABEL, top + y, text);
  }
}

export type Box = [x: number, y: number, width: number, height: number];

/** Draw rectangles in one colour; the remainder is hatched. */
export function fillBoxes(
  sheet: Sheet,
  { color, hatched }: Named,
  boxes: readonly Box[],
  more: Record<string, string> = {},
): void {
  const outline = boxes.map((box) => {
    const [x, y, w, h] = box.map(round);
    return `M${x} ${y}h${w}v${h}h-${w}Z`;
  });
  const path = (d: string[], look: Record<string, string>) =>
    sheet.add({ tag: "path", at: { d: d.join("") }, look });
  path(outline, { fill: hatched ? INK.background : color, ...more });
  if (hatched)
    path(
      boxes.map((box) => hatching(...box)),
      { fill: "none", stroke: color, "stroke-width": "2px" },
    );
}
