/**
 * The script `offline`: what answers and draws where there is no Python.
 *
 * In a saved notebook it is kept with the model; on a page of its own it stands in the page. It gets
 * the snapshot as the core has read it, and touches no document, so that it runs under Node as well.
 */
import { parts } from "nbprof:offline-parts";
import type { Snapshot } from "../core/snapshot";
import type { Answers } from "./answerer";
import { SnapshotAnswerer } from "./answers";
import { recomputing } from "./tables/filter";

/** @param snapshot - as the core has read it */
export default function open(snapshot: Snapshot): Answers {
  return new SnapshotAnswerer(snapshot, parts, recomputing(snapshot));
}
