/** From a table to the timeline: where the slices of some names are. */
import type { Context } from "../../../core/context";
import type { Session } from "../../../core/session";
import { namesPattern } from "../../../table/selection";
import { plural } from "../../../values/format";

/** Whether there is a timeline to show them in. */
export function hasTimeline(session: Session): boolean {
  return session.views.includes("timeline");
}

/** Mark all slices of these names, over the whole trace, and go to the first. */
export function showInTimeline({ session, announce }: Context, names: readonly string[]): void {
  if (!names.length || !hasTimeline(session)) return;
  session.wantsFirstMatch = true;
  session.set({
    active: "timeline",
    group_by: "thread",
    selection: [],
    search: namesPattern(session, names),
    window: null,
  });
  announce(`Slices of ${plural(names.length, "name")} in the timeline`);
}
