/** Texts about a trace: steps, events and length, and the number of repaired or skipped events. */
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import { formatDuration, formatNumber, plural } from "../values/format";

/**
 * "6 steps · 57,504 events · 1.07 s"; profiles that only sum have no length and no steps.
 *
 * @param long - whether there is room for the events
 */
export function factsText(info: TraceInfo, long = true): string {
  const none = long ? "no steps recorded" : "no steps";
  const steps = info.steps.recorded ? plural(info.steps.count, "step") : none;
  const events = plural(info.events, "event");
  const length = info.duration_us;
  if (!length) return events;
  return [steps, ...(long ? [events] : []), formatDuration(length)].join(" · ");
}

/** @param long - whether there is room for more than their number */
export function warningsText(info: TraceInfo, catalog: Catalog, long = true): string {
  const words: string[] = [];
  if (info.warnings.length) words.push(plural(info.warnings.length, "warning"));
  const skipped = catalog.skipped_count ?? catalog.skipped.length;
  if (!long) return plural(info.warnings.length + skipped, "warning");
  const broken = catalog.skipped.filter(isBroken).length;
  if (broken) words.push(`${plural(broken, "file")} could not be read`);
  if (skipped > broken) words.push(`${formatNumber(skipped - broken)} skipped`);
  return words.join(" · ");
}

/** Whether a file was skipped that looks like a trace. */
export function isBroken({ reason }: Catalog["skipped"][number]): boolean {
  return !/no trace|not a trace|no profile/i.test(reason);
}
