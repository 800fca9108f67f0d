/**
 * The entry of the script `offline`, which answers requests and draws charts without Python.
 *
 * A saved notebook keeps it with the model; an exported page contains it. It receives the snapshot
 * that the core has read and does not touch the document, so it also runs under Node.
 */
import { parts } from "nbprof:offline-parts";
import type { Snapshot } from "../core/snapshot/snapshot";
import type { Compile } from "../patterns/main";
import type { Answers } from "./answerer";
import { SnapshotAnswerer } from "./answers";
import { recomputing } from "./tables/filter";

/**
 * @param snapshot - the snapshot that the core has read
 * @param patterns - loads the script `patterns`
 */
export default function open(snapshot: Snapshot, patterns: () => Promise<Compile>): Answers {
  return new SnapshotAnswerer(snapshot, parts, recomputing(snapshot), patterns);
}
