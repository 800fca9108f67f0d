/** Reads the stored part of a timeline, which is drawn without a kernel. */
import { bytesOf, hasBytes, readSavedState } from "../../../core/saved/opening";
import type { Session } from "../../../core/state/session";
import { type Signal, signal } from "../../../core/state/signals";
import type { Level, Minimap } from "../state/types";
import { decodeLevel, decodeMinimap } from "./decode";
import type { SavedTimeline } from "./messages";

interface Outline {
  about: SavedTimeline;
  /** The trace that it belongs to, as `Session.traceKey`. */
  traceKey: string;
  level: Level;
  minimap: Minimap;
}

/** The timeline of each value of the trait `snapshot`. */
const outlines = new WeakMap<object, Signal<Outline | null>>();

/** Return the stored timeline; null until it has been read, without one, or if it is unreadable. */
export function outlineOf(session: Session): Outline | null {
  const trait = session.get("snapshot");
  if (!hasBytes(trait)) return null;
  let found = outlines.get(trait);
  if (!found) {
    found = signal<Outline | null>(null);
    outlines.set(trait, found);
    void fillFrom(trait, found);
  }
  return found.value;
}

/** Whether Python or the stored timeline finds slices by name. */
export function canFind(session: Session): boolean {
  return session.router.connected || outlineOf(session) !== null;
}

async function fillFrom(trait: object, found: Signal<Outline | null>): Promise<void> {
  try {
    found.value = await read(trait);
  } catch {
    // of another version of nbprof: treated as missing; the session reports why
  }
}

/** Read the parts that `nbprof/widgets/saved/timeline.py` writes. */
async function read(trait: object): Promise<Outline | null> {
  const outline = readSavedState(bytesOf(trait));
  const text = await outline.text("timeline");
  const parts = [1, 2, 3].map((part) => outline.bytes("timeline", part));
  const [slices, minimap, tracks] = await Promise.all(parts);
  if (!text || !slices || !minimap) return null;
  const about = JSON.parse(text) as SavedTimeline;
  return {
    about,
    traceKey: JSON.stringify(outline.header.key),
    level: decodeLevel(about.info, slices, tracks),
    minimap: decodeMinimap(about.layout, minimap),
  };
}
