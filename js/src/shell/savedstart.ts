/** Reads catalog and trace from the saved state, and makes the messages if it lacks data. */

import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol/protocol";
import type { Session } from "../core/state/session";
import type { ViewInfo } from "../core/views/viewinfo";
import { emptyState, link } from "../parts/states";

interface SavedStart {
  catalog: Catalog;
  trace: TraceInfo;
}

/** Read the profile and trace of the saved state; null without saved state. */
export async function savedStart(session: Session): Promise<SavedStart | null> {
  await session.open();
  const saved = session.kept?.saved;
  const [catalog, trace] = [saved?.about<Catalog>("catalog"), saved?.about<TraceInfo>("trace")];
  return catalog && trace ? { catalog, trace } : null;
}

/** The message if neither a kernel nor saved state can answer. */
export function nothingKept({ h, session }: Context): HTMLElement {
  const { unreadable, again } = session;
  const why = unreadable && `The saved state cannot be read: ${unreadable}`;
  const text = `${why} If no kernel is running, ${again.charAt(0).toLowerCase()}${again.slice(1)}`;
  return emptyState(h, unreadable ? "Not connected" : "Waiting for Python", text.trim());
}

/**
 * The message in place of a view that is not in the saved state, with links to views that are.
 *
 * @param other - a view that works without Python, and the function that shows it
 */
export function needsPython(
  ctx: Context,
  { title }: ViewInfo,
  other: { view: ViewInfo; go: () => void } | null,
): HTMLElement {
  const { h, session } = ctx;
  const made = session.kept?.saved.header.filter;
  // The filter was changed after the saved state was made: offer to go back to the one in it.
  const under = made && link(h, "Show the saved state", () => session.showKept());
  const way = other && link(h, `Show the ${other.view.title.toLowerCase()}`, other.go);
  for (const one of [under, way]) if (one) one.dataset.offline = "";
  const what = made ? `${title} under this filter needs Python` : `${title} needs Python`;
  return emptyState(h, what, session.again, under, way);
}
