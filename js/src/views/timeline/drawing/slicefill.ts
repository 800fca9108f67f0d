/** Chooses the fill numbers of slices and blocks. */
import { blockFill, categoryFill, frameFill } from "../../../fills/fills";
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

/**
 * Return the fill of a block: that of a slice of its category and of the name with the most time,
 * weaker the less of it is busy.
 *
 * @param entry - its place among the blocks of the row
 * @param share - the share of its length during which slices ran
 */
export function blockFillOf(
  level: Level,
  items: RowItems,
  at: number,
  entry: number,
  share: number,
  dimmedCategories: ReadonlySet<number>,
): number {
  const category = items.category[at] as number;
  const name = items.block_name[entry] ?? -1;
  const { slots, shades } = level.info;
  const dimmed = dimmedCategories.has(category);
  const whole =
    name < 0
      ? categoryFill(category, dimmed)
      : frameFill(category, slots[name] ?? 0, shades[name] ?? 0, dimmed);
  return blockFill(whole, share);
}
