/** Chooses the fill number of a slice. */
import { frameFill } from "../../../canvas/fills";
import type { Level, RowItems } from "../state/types";

/** Return the fill of a slice: by name for operators, modules and kernels, else by category. */
export function sliceFill(
  level: Level,
  items: RowItems,
  at: number,
  dimmedCategories: ReadonlySet<number>,
): number {
  const category = items.category[at] as number;
  const name = items.name[at] as number;
  const dimmed = level.dimmed.has(name) || dimmedCategories.has(category);
  return frameFill(category, level.info.slots[name] ?? 0, level.info.shades[name] ?? 0, dimmed);
}
