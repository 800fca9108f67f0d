/**
 * The second bundle, `static/offline.js`: what answers and draws where there is no Python.
 *
 * In a saved notebook it travels in the snapshot and is run from a blob: URL; on a page of its own
 * it stands in the page. Either way the widget finds it in `__nbprofOffline`, and hands it
 * the snapshot that it has read, so that the readers of both formats are there once. It touches no document, so that it runs under Node as well.
 */
import type { Answers } from "./answerer";
import { SnapshotAnswerer } from "./answers";
import { charts } from "./charts";
import { recomputing } from "./tables/filter";
import { type OfflinePage, SNAPSHOT_VERSION, type Snapshot } from "./tables/snapshot";

/** @param snapshot - as the widget has read it */
export function open(snapshot: Snapshot): Answers {
  return new SnapshotAnswerer(snapshot, { draw: charts(snapshot), recomputing });
}

const page = globalThis as OfflinePage;
page.__nbprofOffline ??= new Map();
page.__nbprofOffline.set(SNAPSHOT_VERSION, open);
