/** The part of a timeline that came with the notebook: what can be seen of it without a kernel. */
import { bytesOf, hasBytes } from "../../../core/alone";
import type { Session } from "../../../core/session";
import { metadataOf } from "../../../values/arrow";
import type { Level, Minimap } from "../state/types";
import { decodeLevel, decodeMinimap } from "./decode";
import type { SnapshotInfo } from "./messages";

export interface Snapshot {
  about: SnapshotInfo;
  /** The trace that it is of, as `Session.traceKey`. */
  traceKey: string;
  level: Level;
  minimap: Minimap | null;
}

const KEY = "nbprof";
const kept = new WeakMap<object, Snapshot | null>();

/** The snapshot of a model; null without one, or where it cannot be read. */
export function snapshotOf(session: Session): Snapshot | null {
  const own = session.get("timeline_snapshot");
  const trait = hasBytes(own) ? own : session.timelineBytes;
  if (!trait) return null;
  let snapshot = kept.get(trait);
  if (snapshot === undefined) {
    snapshot = read(trait);
    kept.set(trait, snapshot);
  }
  return snapshot;
}

function read(trait: object): Snapshot | null {
  const bytes = bytesOf(trait);
  try {
    const text = metadataOf(bytes, KEY);
    if (!text) return null;
    const about = JSON.parse(text) as SnapshotInfo;
    const tracks = about.tracks ? fromBase64(about.tracks) : undefined;
    const level = decodeLevel(about.info, bytes, tracks);
    const minimap = about.minimap ? decodeMinimap(about.layout, fromBase64(about.minimap)) : null;
    return { about, traceKey: JSON.stringify(about.key), level, minimap };
  } catch {
    return null; // of another version of nbprof: as if none had come
  }
}

function fromBase64(text: string): Uint8Array {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}
