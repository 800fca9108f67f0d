/** How a view begins where there is no Python: from what was kept with the notebook. */
import { bytesOf, hasBytes } from "../core/alone";
import type { Context } from "../core/context";
import type { Catalog, TraceInfo } from "../core/protocol";
import type { Session } from "../core/session";
import type { ViewInfo } from "../core/viewinfo";
import { emptyState, link } from "../parts/states";
import { metadataOf } from "../values/arrow";

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
  const own = session.get("timeline_snapshot");
  const about = hasBytes(own) ? aboutOf(bytesOf(own)) : null;
  return about && JSON.stringify(about.key) === session.traceKey ? about : null;
}

/** What the trait `timeline_snapshot` says of itself; null where it cannot be read. */
function aboutOf(bytes: Uint8Array): (KeptStart & { key: unknown }) | null {
  try {
    return JSON.parse(metadataOf(bytes, "nbprof") ?? "null");
  } catch {
    return null; // of another version of nbprof: as if none had come
  }
}

/** Where nobody answers, and nothing was kept that could be shown meanwhile. */
export function nothingKept({ h, session }: Context): HTMLElement {
  const { unreadable, again } = session;
  const why = unreadable && `What was kept here cannot be read: ${unreadable}`;
  const text = `${why} Where no kernel runs: ${again.charAt(0).toLowerCase()}${again.slice(1)}`;
  return emptyState(h, unreadable ? "Not connected" : "Waiting for Python", text.trim());
}

/**
 * In place of a view that was not kept; links lead to what was.
 *
 * @param other - a view that needs nobody, and what leads to it
 */
export function needsPython(
  ctx: Context,
  { title }: ViewInfo,
  other: { view: ViewInfo; go: () => void } | null,
): HTMLElement {
  const { h, session } = ctx;
  const made = session.kept?.snapshot.header.filter;
  // A filter that was set after the snapshot was made: that one can still be seen.
  const under = made && link(h, "Show what was kept", () => session.showKept());
  const way = other && link(h, `Show the ${other.view.title.toLowerCase()}`, other.go);
  for (const one of [under, way]) if (one) one.dataset.offline = "";
  const what = made ? `${title} under this filter needs Python` : `${title} needs Python`;
  return emptyState(h, what, session.again, under, way);
}
