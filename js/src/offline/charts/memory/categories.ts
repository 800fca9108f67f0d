/** Draws the categories of memory as stacked areas under the curve. */
import { spread } from "../layout";
import { INK, round, type Sheet } from "../sheet";

/** The memory of one category as a step function. */
export interface Category {
  name: string;
  /** Ascending, µs. */
  time_us: number[];
  bytes: number[];
  /** The colour slot. */
  slot: number;
}

/** The plot area, as far as the categories need it. */
interface Plane {
  left: number;
  columns: number;
  start_us: number;
  end_us: number;
  y(bytes: number): number;
}

const PITCH = 14;
const SWATCH = 9;

/** The label of a category beside the plot, for measuring. */
export const categoryWords = ({ name }: Category) => `■ ${name}`;

const fillOf = ({ slot }: Category) => `var(--o-${slot % 10})`;

/** The bytes in use at a time; 0 before the first entry. */
function bytesAt({ time_us, bytes }: Category, time: number): number {
  let [low, high] = [0, time_us.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((time_us[middle] as number) <= time) low = middle + 1;
    else high = middle;
  }
  return bytes[low - 1] ?? 0;
}

/** Draw for each pixel column the bytes at its start. */
export function drawCategories(sheet: Sheet, found: readonly Category[], plane: Plane): void {
  const columns = Array.from({ length: plane.columns + 1 }, (_, column) => column);
  const span = plane.end_us - plane.start_us;
  let below = columns.map(() => 0);
  for (const one of found) {
    const above = columns.map(
      (column) =>
        (below[column] ?? 0) + bytesAt(one, plane.start_us + (span * column) / plane.columns),
    );
    const edge = (tops: number[]) => tops.map((bytes) => round(plane.y(bytes)));
    const [upper, lower] = [edge(above), edge(below)];
    let line = `M${plane.left} ${upper[0]}`;
    columns.slice(1).forEach((column) => {
      line += `H${plane.left + column}V${upper[column]}`;
    });
    for (let column = plane.columns; column > 0; column -= 1)
      line += `V${lower[column - 1]}H${plane.left + column - 1}`;
    sheet.add({ tag: "path", at: { d: `${line}Z` }, look: { fill: fillOf(one) }, tip: one.name });
    below = above;
  }
}

/** Write the names beside the plot in their colours, in the order of the areas at the peak. */
export function nameCategories(
  sheet: Sheet,
  found: readonly Category[],
  plane: Plane,
  top: number,
  peak_us: number,
): void {
  const base = plane.y(0);
  let so = 0;
  const wanted = found.map((one) => {
    const size = bytesAt(one, peak_us);
    so += size;
    return base - plane.y(so - size / 2);
  });
  const end = plane.left + plane.columns;
  spread(wanted, PITCH, 6, base - top).forEach((height, at) => {
    const one = found[at];
    if (!one) return;
    const y = round(base - height);
    const square = {
      x: round(end + 12 - SWATCH / 2),
      y: y - SWATCH / 2,
      width: SWATCH,
      height: SWATCH,
    };
    sheet.add({ tag: "rect", at: square, look: { fill: fillOf(one) } });
    sheet.text(end + 12 + SWATCH, y, one.name, { color: INK.foreground });
  });
}
