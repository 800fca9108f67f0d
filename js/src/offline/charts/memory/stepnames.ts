/** Marks the steps above a memory chart, as `nbprof/charts/memory/step_names.py` does. */
import { labelEvery } from "../layout";
import { INK, type Sheet } from "../sheet";
import { textWidth } from "../textwidth";

/** Room above the plot for the names of steps. */
const STEP_BAND = 18;
/** Least distance between the lines of two steps. */
const LINES = 3;

export interface Step {
  number: number;
  start_us: number;
  end_us: number;
}

/** The plot area of the chart. */
interface Plane {
  left: number;
  top: number;
  bottom: number;
  height: number;
  columns: number;
  start_us: number;
  end_us: number;
  x(time_us: number): number;
}

/** Label the steps above the plot, where there is room, and mark where each begins. */
export function writeSteps(sheet: Sheet, steps: readonly Step[], plane: Plane): void {
  const [start, end] = [plane.left, plane.left + plane.columns];
  const inside = steps
    .filter((step) => step.end_us > plane.start_us && step.start_us < plane.end_us)
    .map(({ number, start_us, end_us }) => ({
      number,
      left: Math.max(plane.x(start_us), start),
      right: Math.min(plane.x(end_us), end),
    }));
  if (!inside.length) return;
  const bounds = [...inside.map(({ left }) => left), inside.at(-1)?.right ?? end];
  const columns = new Set<number>();
  for (const x of bounds) {
    const column = Math.floor((x - start) / LINES);
    if (x <= start || x >= end || columns.has(column)) continue;
    columns.add(column);
    const ends: [number, number][] = [
      [x, plane.top - STEP_BAND],
      [x, plane.height - plane.bottom],
    ];
    sheet.line(ends, INK.grid);
  }
  const room = median(inside.map(({ left, right }) => right - left));
  const numbers = inside.map(({ number }) => number);
  const largest = Math.max(...numbers);
  const spread = largest - Math.min(...numbers);
  const long = textWidth(`Step ${largest}`) + 8 <= room;
  const words = (number: number) => (long ? `Step ${number}` : String(number));
  const width = textWidth(words(largest)) + 8;
  const every = labelEvery(inside.length, room, width);
  let edge = Number.NEGATIVE_INFINITY;
  inside.forEach(({ number, left, right }, index) => {
    if (every > 1 && (spread >= every ? number : index) % every !== 0) return;
    const middle = Math.min(Math.max((left + right) / 2, start + width / 2), end - width / 2);
    if (middle - width / 2 < edge) return;
    sheet.text(middle, plane.top - STEP_BAND + 7, words(number), { align: "middle" });
    edge = middle + width / 2;
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const last = sorted.length - 1;
  return ((sorted[last >> 1] ?? 0) + (sorted[(last + 1) >> 1] ?? 0)) / 2;
}
