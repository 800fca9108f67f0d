/**
 * What Python answers about the timeline; `nbprof/widgets/requests/messages_timeline.py` declares it.
 */
import type { Lane, SliceRef as SentSlice } from "../../../core/messages";

export type {
  Arrow,
  Category,
  Found,
  Group,
  Lane,
  Layout,
  SliceDetails,
  SnapshotInfo,
  Step,
  Track,
  WindowInfo,
} from "../../../core/messages";
export { CATEGORIES } from "../../../core/messages";

/** A slice somebody pointed at; its name as far as it is known without asking. */
export type SliceRef = Omit<SentSlice, "name"> & { name?: string | undefined };

export type LaneKind = Lane["kind"];
