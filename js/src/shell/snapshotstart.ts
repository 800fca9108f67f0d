/** Starts a widget from its snapshot, and creates the messages for what the snapshot lacks. */

import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import type { Session } from "../core/state/session";
import type { ViewInfo } from "../core/views/viewinfo";
import { emptyState, link } from "../parts/states";

export interface SnapshotStart {
  catalog: Catalog;
  trace: TraceInfo;
}

/** Read the profile and trace of the snapshot; null without a snapshot. */
export async function snapshotStart(session: Session): Promise<SnapshotStart | null> {
  await session.open();
  const snapshot = session.kept?.snapshot;
  const [catalog, trace] = [
    snapshot?.about<Catalog>("catalog"),
    snapshot?.about<TraceInfo>("trace"),
  ];
  return catalog && trace ? { catalog, trace } : null;
}

/** The message where neither a kernel nor a snapshot can answer. */
export function nothingKept({ h, session }: Context): HTMLElement {
  const { unreadable, again } = session;
  const why = unreadable && `What was kept here cannot be read: ${unreadable}`;
  const text = `${why} Where no kernel runs: ${again.charAt(0).toLowerCase()}${again.slice(1)}`;
  return emptyState(h, unreadable ? "Not connected" : "Waiting for Python", text.trim());
}

/**
 * The message in place of a view that the snapshot lacks, with links to what it has.
 *
 * @param other - a view that works without Python, and the function that shows it
 */
export function needsPython(
  ctx: Context,
  { title }: ViewInfo,
  other: { view: ViewInfo; go: () => void } | null,
): HTMLElement {
  const { h, session } = ctx;
  const made = session.kept?.snapshot.header.filter;
  // The filter was changed after the snapshot was made: offer to go back to the one in it.
  const under = made && link(h, "Show what was kept", () => session.showKept());
  const way = other && link(h, `Show the ${other.view.title.toLowerCase()}`, other.go);
  for (const one of [under, way]) if (one) one.dataset.offline = "";
  const what = made ? `${title} under this filter needs Python` : `${title} needs Python`;
  return emptyState(h, what, session.again, under, way);
}
