/** How a view begins where there is no Python: from what was kept with the notebook. */
import type { Context } from "../core/context";
import type { Catalog, TraceInfo, View } from "../core/protocol";
import type { Session } from "../core/session";
import { emptyState, link } from "../parts/states";
import { snapshotOf } from "../views/timeline/data/snapshot";
import { TITLES } from "./tabs";

export interface KeptStart {
  catalog: Catalog;
  trace: TraceInfo;
}

/** Which profile there is, and what its trace holds; null where nothing of it was kept. */
export async function keptStart(session: Session): Promise<KeptStart | null> {
  await session.open();
  const snapshot = session.kept?.snapshot;
  const [catalog, trace] = [
    snapshot?.about<Catalog>("catalog"),
    snapshot?.about<TraceInfo>("trace"),
  ];
  if (catalog && trace) return { catalog, trace };
  const timeline = snapshotOf(session);
  return timeline?.traceKey === session.traceKey ? timeline.about : null;
}

/** Where nobody answers, and nothing was kept that could be shown meanwhile. */
export function nothingKept({ h, session }: Context): HTMLElement {
  const { unreadable, again } = session;
  const why = unreadable && `What was kept here cannot be read: ${unreadable}`;
  const text = `${why} Where no kernel runs: ${again.charAt(0).toLowerCase()}${again.slice(1)}`;
  return emptyState(h, unreadable ? "Not connected" : "Waiting for Python", text.trim());
}

/** In place of a view that was not kept; a link leads to what was. */
export function needsPython(ctx: Context, view: View, toTimeline: () => void): HTMLElement {
  const { h, session } = ctx;
  const made = session.kept?.snapshot.header.filter;
  // A filter that was set after the snapshot was made: that one can still be seen.
  const under = made && link(h, "Show what was kept", () => session.showKept());
  const timeline = session.views.includes("timeline")
    ? link(h, "Show the timeline", toTimeline)
    : null;
  for (const way of [under, timeline]) if (way) way.dataset.offline = "";
  const what = made
    ? `${TITLES[view]} under this filter needs Python`
    : `${TITLES[view]} needs Python`;
  return emptyState(h, what, session.again, under, timeline);
}
