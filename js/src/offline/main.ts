/**
 * The second bundle, `static/offline.js`: what answers and draws where there is no Python.
 *
 * In a saved notebook it travels in the snapshot and is run from a blob: URL; on a page of its own
 * it stands in the page. Either way the widget finds it in `__nbprofOffline`, and lends it its
 * reader of Arrow. It touches no document, so that it runs under Node as well.
 */
import type { Answers } from "./answerer";
import { SnapshotAnswerer } from "./answers";
import { charts } from "./charts";
import { recomputing } from "./filter";
import { type OfflinePage, type Reader, SNAPSHOT_VERSION, Snapshot } from "./snapshot";

/** @throws SnapshotError - the bytes cannot be read */
export function open(bytes: Uint8Array, reader: Reader): Answers {
  const snapshot = Snapshot.read(bytes, reader);
  return new SnapshotAnswerer(snapshot, { draw: charts(snapshot), recomputing });
}

const page = globalThis as OfflinePage;
page.__nbprofOffline ??= new Map();
page.__nbprofOffline.set(SNAPSHOT_VERSION, open);
