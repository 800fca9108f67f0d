/** The plot area of the memory chart, with what converts times and bytes to pixels. */
import type { TimeUnit } from "../../../values/format";
import type { Plane as BrushPlane } from "../../../views/memory/brush";

export interface Plane extends BrushPlane {
  height: number;
  columns: number;
  ticks: number[];
  times: number[];
  unit: TimeUnit;
  time: TimeUnit;
  narrow: boolean;
  x(time_us: number): number;
  y(bytes: number): number;
}
