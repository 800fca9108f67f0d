/**
 * The entry of the script `offline`, which answers requests and draws charts without Python.
 *
 * A saved notebook keeps it with the model; an exported page contains it. It receives the saved state
 * that the core has read and does not touch the document, so it also runs under Node.
 */
import { parts } from "nbprof:offline-parts";
import type { SavedState } from "../core/saved/savedstate";
import type { Answers } from "./answerer";
import { SavedAnswers } from "./answers";
import type { Load, OfflineTables } from "./offlinepart";
import { recomputing } from "./tables/filter";

/**
 * @param saved - the saved state that the core has read
 * @param load - loads another script
 */
export default function open(saved: SavedState, load: Load): Answers {
  const tables: OfflineTables = Object.assign(
    {},
    ...Object.values(parts).map((part) => part.tables),
  );
  return new SavedAnswers(saved, parts, tables, recomputing(saved, tables, load), load);
}
