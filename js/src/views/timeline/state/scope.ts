/** Identifies what row and slice numbers belong to. */
import type { Layout } from "../data/messages";

/** The trace and layout within which row and slice numbers are valid, as a text. */
export function scopeOf(trace: string, layout: Layout): string {
  return `${trace} ${layout.group_by}`;
}
