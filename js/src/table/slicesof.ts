/** From a table to the timeline: where the slices of some names are. */
import type { Context } from "../core/context";
import type { Session } from "../core/session";
import { namesPattern } from "../table/selection";
import { plural } from "../values/format";

/** Whether there is a timeline to show them in. */
export function hasTimeline(session: Session): boolean {
  return session.viewThatShows("slices") !== undefined;
}

/** Mark all slices of these names, over the whole trace, and go to the first. */
export function showInTimeline({ session, announce }: Context, names: readonly string[]): void {
  const view = session.viewThatShows("slices");
  if (!names.length || !view) return;
  session.wantsFirstMatch = true;
  session.set({
    active: view.name,
    group_by: view.group_by,
    selection: [],
    search: namesPattern(session, names),
    window: null,
  });
  announce(`Slices of ${plural(names.length, "name")} in the timeline`);
}

/** Show a part of the trace, in µs. */
export function showRange({ session, announce }: Context, window: [number, number]): void {
  const view = session.viewThatShows("slices");
  if (!view) return;
  session.set({ active: view.name, group_by: view.group_by, selection: [], window });
  announce("Its time in the timeline");
}
