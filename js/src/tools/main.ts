/**
 * The entry of the script `tools`, which completes the bars of the widget after the first picture:
 * the badge of the connection, the choice of a baseline, the selection bar, suggested names, the list of skipped files and
 * events, and the keys.
 */
import { BaselineField } from "../baselines/baselinefield";
import type { Context } from "../core/context";
import { watch } from "../core/state/signals";
import { ConnectionBadge } from "./connectionbadge";
import { SelectionBar } from "./selectionbar";
import { type KeyActions, ShellKeys } from "./shellkeys";
import { skippedList } from "./skippedlist";
import css from "./style.css";
import { Suggestions } from "./suggestions";

/** The elements of the bars that the script completes, and their actions. */
export interface Places extends KeyActions {
  badge: HTMLElement;
  skip: HTMLButtonElement;
  help: HTMLButtonElement;
  /** The line over the lower edge that describes the selection. */
  selection: HTMLElement;
  input: HTMLInputElement;
  /** The element under which names are listed. */
  under: HTMLElement;
  choose(name: string, pattern: string): void;
  retry(): void;
  /** Draw now, and again when a signal that was read changes. */
  draw(draw: () => void): void;
}

export interface Tools {
  suggestions: Suggestions;
  skippedList: typeof skippedList;
}

export default function equip(ctx: Context, places: Places): Tools {
  ctx.addStyle(css);
  const badge = new ConnectionBadge(ctx, places.badge, () => places.retry());
  watch(() => badge.update(), ctx.signal);
  // Beside run, worker and span; the core leaves it out, as most profiles have nothing to compare.
  const baseline = new BaselineField(ctx, "Baseline");
  places.badge.parentElement?.before(baseline.el);
  places.draw(() => baseline.update());
  const selection = new SelectionBar(ctx, places.selection);
  places.draw(() => selection.update());
  new ShellKeys(ctx, places);
  const suggestions = new Suggestions(ctx, places.input, places.under, places.choose);
  return { suggestions, skippedList };
}
