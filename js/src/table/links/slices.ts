/** Actions of table rows that show their slices, or a time range, in the timeline. */
import type { Context } from "../../core/context";
import { namesPattern } from "../../core/state/selecting";
import type { Session } from "../../core/state/session";
import { plural } from "../../values/format";

/** Whether there is a view that shows slices. */
export function hasTimeline(session: Session): boolean {
  return session.viewThatShows("slices") !== undefined;
}

/** What is seen of the timeline around the start of a single slice, in µs. */
const AROUND = 200;

/** Highlight all slices of these names, and go to the one selected, else to the first. */
export function showInTimeline({ session, announce }: Context, names: readonly string[]): void {
  const view = session.viewThatShows("slices");
  if (!names.length || !view) return;
  const [at, ...others] = (session.get("selection") ?? []).map((key) => key.start_us);
  const single = typeof at === "number" && !others.length;
  session.wantsFirstMatch = !single;
  session.set({
    active: view.name,
    group_by: view.group_by,
    selection: [],
    search: namesPattern(session, names),
    window: single ? [at - AROUND, at + AROUND] : null,
  });
  announce(`Slices of ${plural(names.length, "name")} in the timeline`);
}

/** Show a time range of the trace, in µs, with a part of it selected. */
export function showRange(
  { session, announce }: Context,
  window: [number, number],
  selected?: [number, number],
): void {
  const view = session.viewThatShows("slices");
  if (!view) return;
  const selection = selected ? [{ start_us: selected[0], end_us: selected[1] }] : [];
  session.set({ active: view.name, group_by: view.group_by, selection, window });
  announce("Its time in the timeline");
}
